import { useState } from "react";

import { usePeople, type PeopleFilter, type Person, type PersonState } from "../../queries/people";
import { Button } from "../../ui/button";
import { Icon } from "../../ui/icons";
import { Muted } from "../../ui/muted";
import { SearchField } from "../../ui/search-field";
import { Select } from "../../ui/select";
import { SettingList } from "../../ui/setting-list";
import { Empty, Loaded } from "../../ui/states";
import { Time } from "../../ui/time";
import { InviteDialog } from "./invite-dialog";
import { PersonDialog } from "./person-dialog";

const STATES: readonly PersonState[] = ["active", "invited", "disabled"];

export function PeopleTab({ isSuperuser }: { isSuperuser: boolean }) {
  const [filter, setFilter] = useState<PeopleFilter>({});
  const [isInviting, setInviting] = useState(false);
  const [chosen, setChosen] = useState<string>();
  const people = usePeople(filter);
  const found = people.data?.pages.flatMap((page) => page.results) ?? [];
  const person = found.find((one) => one.username === chosen);
  const choose = (value: string) => {
    const state = STATES.find((known) => known === value);
    setFilter({ ...(filter.search ? { search: filter.search } : {}), ...(state ? { state } : {}) });
  };
  return (
    <>
      <div className="inside row">
        <SearchField
          label="Find a person"
          text=""
          onSearch={(search) => setFilter({ ...(filter.state ? { state: filter.state } : {}), ...(search ? { search } : {}) })}
        />
        <Select isFitted aria-label="State" value={filter.state ?? ""} onChange={(event) => choose(event.target.value)}>
          <option value="">All</option>
          {STATES.map((state) => (
            <option key={state}>{state}</option>
          ))}
        </Select>
        <Button look="primary" onClick={() => setInviting(true)}>
          <Icon name="plus" />
          Invite
        </Button>
      </div>
      <Loaded query={people} label="people">
        {() => <PersonList people={found} onChoose={setChosen} />}
      </Loaded>
      {people.hasNextPage ? (
        <p className="inside">
          <Button isSmall onClick={() => void people.fetchNextPage()}>
            More people
          </Button>
        </p>
      ) : null}
      {isInviting ? <InviteDialog isSuperuser={isSuperuser} onClose={() => setInviting(false)} /> : null}
      {person ? <PersonDialog person={person} isSuperuser={isSuperuser} onClose={() => setChosen(undefined)} /> : null}
    </>
  );
}

function PersonList({ people, onChoose }: { people: readonly Person[]; onChoose: (username: string) => void }) {
  if (people.length === 0) return <Empty title="No person is found" />;
  return (
    <SettingList label="People">
      {people.map((person) => (
        <li key={person.username}>
          <span>
            <strong>
              <bdi>{person.username}</bdi>
            </strong>{" "}
            <bdi className="muted">
              {person.first_name} {person.last_name}
            </bdi>{" "}
            {person.state === "active" ? null : <span className="badge amber">{person.state}</span>}{" "}
            {person.standing === "person" ? null : <span className="badge">{person.standing}</span>}
          </span>
          <Muted isSmall>
            {person.groups.length ? `in ${person.groups.join(", ")}; ` : ""}
            {person.last_login ? (
              <>
                signed in <Time at={person.last_login} />
              </>
            ) : (
              "never signed in"
            )}
          </Muted>
          <Button isSmall onClick={() => onChoose(person.username)}>
            Manage<span className="visually-hidden"> {person.username}</span>
          </Button>
        </li>
      ))}
    </SettingList>
  );
}

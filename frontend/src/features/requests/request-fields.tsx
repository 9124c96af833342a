import { useMemo, useState } from "react";

import { isAtLeast } from "../../model/roles";
import { useMembers } from "../../queries/members";
import { Field, Input } from "../../ui/field";
import { NamesField } from "../../ui/names-field";
import { MarkdownField } from "./markdown-field";

export interface RequestText {
  title: string;
  description: string;
  labels: string[];
  reviewers: string[];
}

/** What people write about a request, when it is opened and when it is edited. */
export function RequestFields({
  catalog,
  author,
  value,
  onChange,
}: {
  catalog: string;
  author: string;
  value: RequestText;
  onChange: (value: RequestText) => void;
}) {
  const set = (change: Partial<RequestText>) => onChange({ ...value, ...change });
  return (
    <>
      <Field label="Title">
        <Input required maxLength={200} value={value.title} onChange={(event) => set({ title: event.target.value })} />
      </Field>
      <MarkdownField label="Description" value={value.description} onChange={(description) => set({ description })} />
      <ReviewersField catalog={catalog} author={author} names={value.reviewers} onChange={(reviewers) => set({ reviewers })} />
      <NamesField label="Labels" names={value.labels} onChange={(labels) => set({ labels })} />
    </>
  );
}

/** Members who may review. The author is none of them: no one approves their own request. */
function ReviewersField({
  catalog,
  author,
  names,
  onChange,
}: {
  catalog: string;
  author: string;
  names: readonly string[];
  onChange: (names: string[]) => void;
}) {
  const [search, setSearch] = useState("");
  const members = useMembers(catalog, search);
  const pages = members.data?.pages;
  const able = useMemo(() => {
    const found = pages?.flatMap((page) => page.results) ?? [];
    return found.filter(({ role, is_active, username }) => is_active && isAtLeast(role, "reviewer") && username !== author);
  }, [pages, author]);
  return (
    <NamesField
      label={able.length || search || names.length ? "Reviewers" : "Reviewers (no other member may review)"}
      names={names}
      suggestions={able.map(({ username }) => username)}
      onlySuggested
      onType={setSearch}
      onChange={onChange}
    />
  );
}

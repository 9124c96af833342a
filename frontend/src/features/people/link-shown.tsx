import type { Invitation } from "../../queries/people";
import { Copyable } from "../../ui/copyable";
import { Muted } from "../../ui/muted";
import { Time } from "../../ui/time";

/** A link that is shown this once. */
export function LinkShown({ username, invitation }: { username: string; invitation: Invitation }) {
  return (
    <>
      <p>
        {username} chooses a password by this link. It works once, ends <Time at={invitation.expires_at} />, and is shown only now.
      </p>
      <Copyable text={invitation.link} label="the link" />
      <Muted as="p" isSmall>{invitation.was_mailed ? "It was sent by mail." : "It was not sent by mail: hand it over yourself."}</Muted>
    </>
  );
}

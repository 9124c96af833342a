import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { describe, expect, it, vi } from "vitest";

import { Button, LinkButton } from "./button";
import { Field, Input, TextArea } from "./field";
import { Muted } from "./muted";
import { Select } from "./select";

describe("a button", () => {
  it("sends a form only where its type says so", async () => {
    const sent = vi.fn((event: { preventDefault: () => void }) => event.preventDefault());
    render(
      <form onSubmit={sent}>
        <Button>Cancel</Button>
        <Button type="submit">Save</Button>
      </form>,
    );
    const user = userEvent.setup();
    await user.click(screen.getByRole("button", { name: "Cancel" }));
    expect(sent).not.toHaveBeenCalled();
    await user.click(screen.getByRole("button", { name: "Save" }));
    expect(sent).toHaveBeenCalledOnce();
  });

  it("has one look, a size, and what a page adds", () => {
    render(
      <MemoryRouter>
        <Button>plain</Button>
        <Button isSmall look="quiet" className="chosen">
          small
        </Button>
        <LinkButton to="/c/demo" look="primary">
          link
        </LinkButton>
      </MemoryRouter>,
    );
    const looks = ["plain", "small"].map((name) => screen.getByRole("button", { name }).className);
    expect(looks).toEqual(["button", "button small quiet chosen"]);
    const link = screen.getByRole("link", { name: "link" });
    expect([link.className, link.getAttribute("href")]).toEqual(["button primary", "/c/demo"]);
  });
});

describe("a field", () => {
  it("names its control by the label", () => {
    render(
      <>
        <Field label="Name" className="grow">
          <Input className="mono" />
        </Field>
        <Field label="Why">
          <TextArea />
        </Field>
        <Field label="Role">
          <Select>
            <option>reader</option>
          </Select>
        </Field>
      </>,
    );
    const controls = ["Name", "Why", "Role"].map((name) => screen.getByLabelText(name));
    expect(controls.map(({ tagName, className }) => `${tagName} ${className}`)).toEqual(["INPUT input mono", "TEXTAREA input", "SELECT input"]);
    expect(controls.map((control) => control.parentElement?.className)).toEqual(["field grow", "field", "field"]);
  });
});

it("muted text is a span or a paragraph", () => {
  render(
    <>
      <Muted title="unit">MB</Muted>
      <Muted as="p" isSmall className="inside">
        A hint.
      </Muted>
    </>,
  );
  const texts = ["MB", "A hint."].map((text) => screen.getByText(text));
  expect(texts.map(({ tagName, className }) => `${tagName} ${className}`)).toEqual(["SPAN muted", "P small muted inside"]);
});

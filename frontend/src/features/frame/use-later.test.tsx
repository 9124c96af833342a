import { act, render, screen } from "@testing-library/react";
import { Component, type ReactNode } from "react";
import { expect, it, vi } from "vitest";

import { useLater } from "./use-later";

function Later({ load, isWanted }: { load: () => Promise<string>; isWanted: boolean }) {
  return useLater(load, isWanted) ?? "nothing yet";
}

class Failing extends Component<{ children: ReactNode }, { error?: Error }> {
  override state: { error?: Error } = {};
  static getDerivedStateFromError = (error: Error) => ({ error });
  override render() {
    return this.state.error ? `failed: ${this.state.error.message}` : this.props.children;
  }
}

it("fetches once, before it is wanted", async () => {
  const load = vi.fn(() => Promise.resolve("here"));
  const { rerender } = render(<Later load={load} isWanted={false} />);
  await screen.findByText("here");
  rerender(<Later load={load} isWanted />);
  expect(load).toHaveBeenCalledTimes(1);
});

it("fetches again what failed, once it is wanted", async () => {
  const load = vi.fn<() => Promise<string>>().mockRejectedValueOnce(new Error("away")).mockResolvedValue("here");
  const { rerender } = render(<Later load={load} isWanted={false} />);
  await act(() => Promise.resolve());
  expect(screen.getByText("nothing yet")).toBeTruthy();
  rerender(<Later load={load} isWanted />);
  await screen.findByText("here");
});

it("says that it failed where it was wanted", async () => {
  vi.spyOn(console, "error").mockReturnValue();
  const load = () => Promise.reject(new Error("away"));
  render(
    <Failing>
      <Later load={load} isWanted />
    </Failing>,
  );
  await screen.findByText("failed: away");
});

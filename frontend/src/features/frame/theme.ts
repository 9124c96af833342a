import { useState } from "react";

import { cookie } from "../../api/client";

export const THEMES = ["system", "light", "dark", "contrast"] as const;
export type Theme = (typeof THEMES)[number];

export const THEME_LABELS: Record<Theme, string> = {
  system: "As the system",
  light: "Light",
  dark: "Dark",
  contrast: "High contrast",
};

const YEAR_SECONDS = 31_536_000;

/** The chosen theme. It is kept in a cookie, by which the server draws the page in it from the start. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState<Theme>(storedTheme);
  const choose = (chosen: Theme) => {
    const age = chosen === "system" ? 0 : YEAR_SECONDS;
    document.cookie = `theme=${chosen}; path=/; max-age=${age}; samesite=lax`;
    showTheme(chosen);
    setTheme(chosen);
  };
  return [theme, choose];
}

function storedTheme(): Theme {
  const stored = cookie("theme");
  return THEMES.find((theme) => theme === stored) ?? "system";
}

/** Put the tokens of the theme into force; those of the system follow it while it changes. */
export function showTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme === "system" ? systemTheme() : theme;
}

function systemTheme(): Theme {
  if (matches("(prefers-contrast: more)")) return "contrast";
  return matches("(prefers-color-scheme: dark)") ? "dark" : "light";
}

/** Follow the system from now on, as long as no theme is chosen. */
export function followSystemTheme(): void {
  const show = () => showTheme(storedTheme());
  show();
  for (const query of ["(prefers-contrast: more)", "(prefers-color-scheme: dark)"]) {
    window.matchMedia(query).addEventListener("change", show);
  }
}

function matches(query: string): boolean {
  return window.matchMedia(query).matches;
}

/** What a browser calls itself, in words: each pretends to be those before it in the other order. */
const BROWSERS = [
  [/\bEdg\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\//, "Firefox"],
  [/\bChrom(e|ium)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
] as const;
const SYSTEMS = [
  [/\bAndroid\b/, "Android"],
  [/\b(iPhone|iPad)\b/, "iOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
] as const;

/** Such as "Firefox on Linux"; the text itself where it is of no known browser. */
export function browserName(agent: string): string {
  const browser = BROWSERS.find(([sign]) => sign.test(agent))?.[1];
  const system = SYSTEMS.find(([sign]) => sign.test(agent))?.[1];
  if (browser === undefined) return agent || "A browser";
  return system === undefined ? browser : `${browser} on ${system}`;
}

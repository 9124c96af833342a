// What the scripts share that look at a running server with Chromium.

export const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** LAKEUI_URL, LAKEUI_USER and LAKEUI_PASSWORD say where and as whom. */
export async function signIn(page) {
  const { LAKEUI_URL: base = "http://127.0.0.1:8000", LAKEUI_USER: user = "admin", LAKEUI_PASSWORD: password = "" } = process.env;
  await page.goto(`${base}/login/`);
  await page.getByLabel("User name").fill(user);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`${base}/`);
}

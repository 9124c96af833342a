/** A server with the demo lake for the journeys, unless LAKEUI_URL names one that runs. */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const START_MS = 300_000;
const STOP_MS = 60_000;
const ROOT = resolve(import.meta.dirname, "../..");
/** Webhooks of the journeys lead to this machine. */
const LISTENING_HERE = { LAKEUI_WEBHOOK_NETWORKS: "127.0.0.0/8" };
const PYTHON = () => process.env.LAKEUI_PYTHON ?? "python";

export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.LAKEUI_URL) return undefined;
  const home = mkdtempSync(join(tmpdir(), "lakeui-e2e-"));
  const faults = join(home, "faults");
  mkdirSync(faults);
  const port = await freePort();
  const password = randomBytes(12).toString("hex");
  const server = spawn(PYTHON(), ["manage.py", "up"], {
    cwd: ROOT,
    env: {
      ...process.env,
      LAKEUI_HOME: home,
      LAKEUI_PORT: String(port),
      LAKEUI_ADMIN_PASSWORD: password,
      LAKEUI_FAULTS: faults,
      ...LISTENING_HERE,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  await ready(server);
  process.env.LAKEUI_URL = `http://127.0.0.1:${port}`;
  process.env.LAKEUI_PASSWORD = password;
  process.env.LAKEUI_HOME = home;
  process.env.LAKEUI_FAULTS = faults;
  process.env.LAKEUI_REVIEWER_PASSWORD = password;
  accountMake(home, "reviewer", password);
  return async () => {
    await stopped(server);
    rmSync(home, { recursive: true, force: true });
  };
}

/** A second account. The interface makes none: accounts are an administrator's, or single sign-on's. */
function accountMake(home: string, name: string, password: string): void {
  const given = JSON.stringify([name, password]);
  const script = `from django.contrib.auth.models import User; name, password = ${given}; User.objects.create_user(name, password=password)`;
  execFileSync(PYTHON(), ["manage.py", "shell", "-c", script], { cwd: ROOT, env: { ...process.env, LAKEUI_HOME: home }, stdio: ["ignore", "ignore", "inherit"] });
}

function ready(server: ChildProcess): Promise<void> {
  return new Promise((done, fail) => {
    let said = "";
    const late = setTimeout(() => fail(new Error(`The server is not ready after ${START_MS / 1000} s:\n${said}`)), START_MS);
    server.stdout?.on("data", (data: Buffer) => {
      said += data.toString();
      if (!said.includes("lakeui is ready")) return;
      clearTimeout(late);
      done();
    });
    server.once("exit", (status) => fail(new Error(`The server ended with status ${status}:\n${said}`)));
  });
}

async function stopped(server: ChildProcess): Promise<void> {
  const ended = new Promise((done) => server.once("exit", done));
  server.kill("SIGTERM");
  const late = setTimeout(() => server.kill("SIGKILL"), STOP_MS);
  await ended;
  clearTimeout(late);
}

function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const probe = createServer();
    probe.once("error", fail);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => done(typeof address === "object" && address ? address.port : 0));
    });
  });
}

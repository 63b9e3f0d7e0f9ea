/** Runs the command line as a user would, with separate state. */

import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** How a command ended. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A separate state folder for clusters; all clusters in it are stopped at the end. */
export interface Place extends AsyncDisposable {
  /** The folder that clusters are kept in. */
  readonly folder: string;
  start(args: readonly string[], options?: StartOptions): ChildProcess & { readonly ended: Promise<Ended> };
  run(args: readonly string[], options?: StartOptions): Promise<Ended>;
}

/** The user and environment of the command. */
export interface StartOptions {
  readonly uid?: number;
  readonly env?: NodeJS.ProcessEnv;
}

/** Makes a place. */
export function makePlace(): Place {
  const home = mkdtempSync(join(tmpdir(), "capstan-kubernetes-"));
  const start: Place["start"] = (args, { uid, env = {} } = {}) => {
    const child = spawn(process.execPath, ["--conditions=@capstan/source", MAIN, ...args], {
      cwd: "/",
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, NODE_TEST_CONTEXT: "", XDG_STATE_HOME: home, ...env },
      ...(uid !== undefined && { uid, gid: uid }),
    });
    const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
    const ended = Promise.all([closed, text(child.stdout), text(child.stderr)]).then(([code, out, err]) => ({
      code,
      out,
      err,
    }));
    return Object.assign(child, { ended });
  };
  return {
    folder: join(home, "capstan", "kubernetes"),
    start,
    run: async (args, options) => start(args, options).ended,
    [Symbol.asyncDispose]: async () => {
      await start(["down", "--all"]).ended;
      await rm(home, { recursive: true, force: true });
    },
  };
}

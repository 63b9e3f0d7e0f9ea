/**
 * The process that runs the user's operator for `capstan dev`. On messages of its parent it loads the program, reports that, and starts
 * it.
 */
import { open as openInspector } from "node:inspector";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { loadProgram } from "../../project/program.ts";
import { operatorOf } from "../../project/operator.ts";
import type { RunningOperator, Snapshot } from "@capstan/runtime";
import { podEnvironment } from "../pod-env.ts";
import { type Again, type FromChild, type Go, type Load, resourceOf } from "../messages.ts";

const [entry = ""] = process.argv.slice(2);

function send(message: FromChild): void {
  process.send?.(message);
}

process.once("message", ({ flags, env }: Load) => {
  for (const [name, value] of Object.entries(env)) process.env[name] ??= value;
  void load(flags);
});
await warmUp();

/** Loads the framework before the program needs it: standby processes have it loaded already. */
async function warmUp(): Promise<void> {
  try {
    await Promise.all([
      import("@capstan/runtime"),
      import(pathToFileURL(createRequire(entry).resolve("capstan")).href),
    ]);
  } catch {
    // Loading the program reports missing packages.
  }
}

async function load(flags: readonly string[]): Promise<void> {
  try {
    const { exported, program } = await loadProgram(process.cwd(), entry);
    const operator = operatorOf(exported, entry);
    const { set, notes } = podEnvironment(program.pod, process.env);
    Object.assign(process.env, set);
    // The operator parses its flags as if it were the main program.
    process.argv = [process.argv[0] ?? "node", entry, ...flags];
    process.once("message", ({ seed, isReachable, inspect }: Go) => {
      // The previous process has ended: the port of the debugger is free again.
      if (inspect !== undefined) openInspector(inspect, "127.0.0.1");
      const onStop = (known: Snapshot): Promise<void> => handOver({ type: "stopping", known });
      operator.run({ seed, isReachable, onStop, onStart: obey, namesCalls: true }).then(
        () => process.disconnect(),
        (error: unknown) => fail(error),
      );
    });
    const kinds = [...new Map(program.controllers.map(({ kind }) => [resourceOf(kind), kind])).values()];
    send({
      type: "loaded",
      notes,
      kinds: kinds.map(({ group, version, kind, plural, scope }) => ({ group, version, kind, plural, scope })),
      controllers: program.controllers.map(({ name, kind }) => ({ name, resource: resourceOf(kind) })),
    });
  } catch (error) {
    fail(error);
  }
}

/** From now on, messages name objects to reconcile again. */
function obey(operator: RunningOperator): void {
  process.on("message", ({ controllers, key }: Again) => {
    for (const controller of controllers) operator.request(controller, key);
  });
}

/** Resolves when the message is sent, so that the process does not exit earlier. Without a parent it resolves at once. */
function handOver(message: FromChild): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined) resolve();
    else process.send(message, undefined, {}, () => resolve());
  });
}

function fail(error: unknown): void {
  send({ type: "failed", why: error instanceof Error ? error.message : String(error) });
  process.exitCode = 1;
  process.disconnect();
}

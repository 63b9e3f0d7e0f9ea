/** A thousand watchers of one kind while two hundred objects a second are written: every event, in order, and how late. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Figures } from "../result.ts";
import type { Server } from "./servers.ts";
import type { Told } from "./watch-and-write.ts";

const seconds = 10;

/** Runs the program that watches and writes, and records what it costs the server. */
export async function measureWatchers(server: Server, figures: Figures): Promise<void> {
  const program = fork(join(import.meta.dirname, "watch-and-write.ts"), [server.kubeconfig]);
  let cpu = 0;
  let isFound = false;
  program.on("message", (message) => {
    // Every message of the program has this type.
    const told = message as Told;
    if (told.type === "writing") cpu -= server.cpuSeconds();
    else if (told.type === "heard") cpu += server.cpuSeconds();
    else {
      isFound = true;
      note(told, server.name, figures);
    }
  });
  await once(program, "exit");
  if (!isFound) throw new RangeError("the program that watches ended before it was done");
  figures.add(server.name, "1,000 watchers, CPU of the server", "% of a core", (cpu / seconds) * 100);
}

type Found = Extract<Told, { readonly type: "found" }>;

function note({ ended, missed, late }: Found, contender: Server["name"], figures: Figures): void {
  figures.add(contender, "watches that the server ended", "of 1,000", ended);
  figures.add(contender, "watchers that missed an event or saw another order", "of 1,000", missed);
  if (late === undefined) return;
  figures.add(contender, "event to 1,000 watchers, p50", "ms", late.p50);
  figures.add(contender, "event to 1,000 watchers, p99", "ms", late.p99);
}

/** Finds and ends the processes that belong together. */
import { readdir, readFile, readlink } from "node:fs/promises";

/** The view of files that a process has; all of a container share one, and nobody else has it. */
export async function viewOf(pid: number | "self"): Promise<string | undefined> {
  return readlink(`/proc/${pid}/ns/mnt`).catch(() => undefined);
}

/** Ends whatever has a view, also what it starts meanwhile; the node's own view is nobody's to end. */
export async function endView(view: string): Promise<void> {
  if (view === (await viewOf("self"))) return;
  for (let isOver = false; !isOver;) {
    const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
    const views = await Promise.all(pids.map(async (pid) => ({ pid, view: await viewOf(pid) })));
    const left = views.filter((one) => one.view === view);
    for (const { pid } of left) end(pid);
    isOver = left.length === 0;
  }
}

/**
 * Ends a process and all that it has started, and they in turn, the last ones first: whoever waits for somebody in a container must live
 * to hear of its end, because nobody else outside may.
 */
export async function endTree(pid: number, pause: () => Promise<void>): Promise<void> {
  for (let below = await descendantsOf(pid); below.length > 0; below = await descendantsOf(pid)) {
    for (const one of below) end(one);
    await pause();
  }
  end(pid);
}

/** The deepest ones first. */
async function descendantsOf(pid: number): Promise<readonly number[]> {
  const children = await childrenOf(pid);
  const deeper = await Promise.all(children.map(descendantsOf));
  return [...deeper.flat(), ...children];
}

async function childrenOf(pid: number): Promise<readonly number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  return text.split(" ").filter(Boolean).map(Number);
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}

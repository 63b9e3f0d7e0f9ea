/** Finds and kills the processes that belong together. */
import { readdir, readFile, readlink } from "node:fs/promises";

/** The mount namespace of a process; all processes of a container share one, and no other process has it. */
export async function mountNamespaceOf(pid: number | "self"): Promise<string | undefined> {
  return readlink(`/proc/${pid}/ns/mnt`).catch(() => undefined);
}

/** Kills all processes in a mount namespace, also those that they start meanwhile. The node's own namespace is excluded. */
export async function killMountNamespace(view: string): Promise<void> {
  if (view === (await mountNamespaceOf("self"))) return;
  for (let isOver = false; !isOver;) {
    const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
    const views = await Promise.all(pids.map(async (pid) => ({ pid, view: await mountNamespaceOf(pid) })));
    const left = views.filter((one) => one.view === view);
    for (const { pid } of left) end(pid);
    isOver = left.length === 0;
  }
}

/**
 * Kills a process and its descendants, the deepest first: a process outside that waits for one in a container must live until that has
 * ended, because no other process outside can wait for it.
 */
export async function killProcessTree(pid: number, pause: () => Promise<void>): Promise<void> {
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
    // It has already ended.
  }
}

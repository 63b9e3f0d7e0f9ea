/** Puts a process where it belongs. What the machine does not allow is left out: limits are best effort. */
import { writeFile } from "node:fs/promises";
import type { Membership } from "../protocol.ts";

/** Whatever the process starts from now on belongs there, too. */
export async function enroll(pid: number | undefined, membership: Membership | undefined): Promise<void> {
  if (pid === undefined || membership === undefined) return;
  const { groups, oomScore } = membership;
  const moves = groups.map((folder) => writeFile(`${folder}/cgroup.procs`, String(pid)));
  await Promise.allSettled([...moves, writeFile(`/proc/${pid}/oom_score_adj`, String(oomScore))]);
}

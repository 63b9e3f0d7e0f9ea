/** Moves a process into its cgroups. What the machine does not allow is skipped: limits are best effort. */
import { writeFile } from "node:fs/promises";
import type { Membership } from "../protocol.ts";

/** Processes that it starts from now on inherit the cgroups. */
export async function joinCgroups(pid: number | undefined, membership: Membership | undefined): Promise<void> {
  if (pid === undefined || membership === undefined) return;
  const { groups, oomScore } = membership;
  const moves = groups.map((folder) => writeFile(`${folder}/cgroup.procs`, String(pid)));
  await Promise.allSettled([...moves, writeFile(`/proc/${pid}/oom_score_adj`, String(oomScore))]);
}

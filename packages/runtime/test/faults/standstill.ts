/** Suspends one API server of a real cluster, like an overloaded machine, and resumes it. */
import { readdirSync, readFileSync } from "node:fs";

/** Stops the process of a component of a cluster; disposing the result resumes it. */
export function standStill(cluster: string, component: string): Disposable {
  const pids = pidsOf(`/${cluster}#${component}`);
  if (pids.length === 0) throw new Error(`no process plays ${component} in ${cluster}`);
  for (const pid of pids) process.kill(pid, "SIGSTOP");
  return {
    [Symbol.dispose]: () => {
      for (const pid of pids) process.kill(pid, "SIGCONT");
    },
  };
}

/** The processes of a cluster have their component name in their environment. */
function pidsOf(mark: string): readonly number[] {
  const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
  return pids.filter((pid) => {
    const entries = read(`/proc/${pid}/environ`).split("\0");
    const isMarked = entries.some((entry) => entry.startsWith("CAPSTAN_KUBERNETES_PROCESS=") && entry.endsWith(mark));
    return isMarked && read(`/proc/${pid}/comm`).startsWith("kube-apiserver");
  });
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

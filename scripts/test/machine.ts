/** Gets the machine ready for the tests that start real programs, and leaves nothing behind afterwards. */
import { ensureSystemPackages, stopSharedClusters } from "@capstan/kubernetes";

type Report = (line: string) => void;

/** Debian packages whose programs the tests start. */
const testPackages = [
  "apache2-utils",
  "bubblewrap",
  "containernetworking-plugins",
  "docker-registry",
  "iproute2",
  "iptables",
  "memcached",
  "nftables",
  "openssl",
  "runc",
  "skopeo",
  "util-linux",
];

/** Installs what is missing as root on Debian or Ubuntu. Elsewhere it says what to install: a failure under CI, a hint otherwise. */
export async function prepareMachine(report: Report, { ci }: { readonly ci: boolean }): Promise<void> {
  try {
    await ensureSystemPackages(testPackages, report);
  } catch (error) {
    if (ci || !(error instanceof Error)) throw error;
    report(`${error.message}; tests that need them are skipped`);
  }
}

export async function tidyMachine(report: Report): Promise<void> {
  await stopSharedClusters().catch((error: unknown) => report(`could not stop the shared clusters: ${String(error)}`));
}

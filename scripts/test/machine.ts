/** Prepares the machine for the tests that start real programs, and leaves nothing behind afterwards. */
import {
  COMMON_CONFORMANCE_IMAGES,
  buildConformanceImages,
  buildPrograms,
  buildTestImages,
  conformancePrograms,
  DEFAULT_RELEASE,
  ensureSystemPackages,
  kubernetesProgram,
  mirrorOperator,
  prepareMachine as prepareKubernetes,
  showProgress,
  stopSharedClusters,
} from "@capstan/kubernetes";
import type { Progress } from "@capstan/kubernetes";
import type { Need } from "./needs.ts";

type Report = (line: string) => void;

/** Debian packages with programs that the tests start, beside those of the real Kubernetes. */
const testPackages = [
  "apache2-utils",
  "bubblewrap",
  "docker-registry",
  "fish",
  "iproute2",
  "memcached",
  "nftables",
  "openssl",
  "skopeo",
  "util-linux",
  "zsh",
];

/** The API server is tested with this kubectl, too. */
const olderKubectl = "1.34.4";

const tasks: Readonly<Record<Need, (progress: Progress) => Promise<unknown>>> = {
  kubernetes: (progress) => prepareKubernetes(DEFAULT_RELEASE, { nodes: 1 }, progress),
  images: (progress) => buildTestImages({ progress }),
  programs: (progress) => buildPrograms([kubernetesProgram("kubectl", olderKubectl), mirrorOperator()], progress),
  conformance: async (progress) => {
    await buildPrograms(conformancePrograms(DEFAULT_RELEASE.kubernetes), progress);
    await buildConformanceImages(progress, COMMON_CONFORMANCE_IMAGES);
  },
};

/** What most tests wait for is built first. */
const order = Object.keys(tasks) as readonly Need[];

export interface PrepareOptions {
  readonly ci: boolean;
  readonly report: Report;
}

/**
 * Installs packages as root on Debian or Ubuntu, then builds what the tests need, one after the other as each build uses all cores; tests
 * that do not need it run meanwhile. A build that is not possible is a failure under CI and a hint otherwise: the tests that need the
 * build are skipped with their reason.
 */
export async function prepareMachine(
  needs: readonly Need[],
  { ci, report }: PrepareOptions,
): Promise<ReadonlyMap<Need, Promise<unknown>>> {
  const progress = showProgress(process.stderr);
  const attempt = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (ci || !(error instanceof Error)) throw error;
      report(`${error.message}; tests that need this are skipped`);
    }
  };
  await attempt(() => ensureSystemPackages(testPackages, report));
  const builds = new Map<Need, Promise<unknown>>();
  let last: Promise<unknown> = Promise.resolve();
  for (const need of order.filter((one) => needs.includes(one))) {
    last = last.then(() => attempt(() => tasks[need](progress)));
    builds.set(need, last);
  }
  return builds;
}

export async function tidyMachine(report: Report): Promise<void> {
  await stopSharedClusters().catch((error: unknown) => report(`could not stop the shared clusters: ${String(error)}`));
}

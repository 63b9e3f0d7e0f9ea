/** Gets the machine ready for the tests that start real programs, and leaves nothing behind afterwards. */
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

type Report = (line: string) => void;

/** Debian packages whose programs the tests start, beside those of the real Kubernetes. */
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

/** The API server is tried with this kubectl, too. */
const olderKubectl = "1.34.4";

/**
 * Installs packages as root on Debian or Ubuntu, and builds the real Kubernetes once, so that no test pays for it. Where that cannot be
 * done it says what is missing: a failure under CI, a hint otherwise, and the tests that need it are skipped with their reason.
 */
export async function prepareMachine(report: Report, { ci }: { readonly ci: boolean }): Promise<void> {
  try {
    const progress = showProgress(process.stderr);
    await ensureSystemPackages(testPackages, report);
    await prepareKubernetes(DEFAULT_RELEASE, { nodes: 1 }, progress);
    await buildTestImages({ progress });
    const programs = conformancePrograms(DEFAULT_RELEASE.kubernetes);
    await buildPrograms([...programs, kubernetesProgram("kubectl", olderKubectl), mirrorOperator()], progress);
    await buildConformanceImages(progress, COMMON_CONFORMANCE_IMAGES);
  } catch (error) {
    if (ci || !(error instanceof Error)) throw error;
    report(`${error.message}; tests that need this are skipped`);
  }
}

export async function tidyMachine(report: Report): Promise<void> {
  await stopSharedClusters().catch((error: unknown) => report(`could not stop the shared clusters: ${String(error)}`));
}

/** Renders the results of the packages as a documentation page. */
import type { Specs } from "./specs.ts";

/** The results of a package on our launchers and, optionally, on the real programs. */
export interface Tried {
  readonly name: string;
  readonly ours: Specs;
  readonly real: Specs | undefined;
}

export function toPage(tried: readonly Tried[], commit: string): string {
  const failures = tried.flatMap(({ name, ours }) => ours.failed.map((spec) => `- ${name}: ${spec}`));
  return [
    "# controller-runtime's own tests",
    "",
    "The test packages of controller-runtime 0.25.2 that start an API server, with `KUBEBUILDER_ASSETS` pointing to the launchers of",
    "`@capstan/apiserver`, and the same programs with kube-apiserver 1.36.3 and etcd in that folder. Left out are specs that a package skips itself,",
    "on whatever it runs. Written by `npm run controller-runtime -- --page --real <folder>`, on commit",
    `${commit}.`,
    "",
    "| package | specs | passed | left out | failed | real: passed | real: left out | real: failed |",
    "|---|---|---|---|---|---|---|---|",
    ...tried.map(({ name, ours, real }) => `| ${[name, ours.specs, ...cells(ours), ...cells(real)].join(" | ")} |`),
    "",
    failures.length === 0 ? "Nothing failed on the launchers." : "Failed on the launchers:",
    ...failures,
    "",
  ].join("\n");
}

function cells(specs: Specs | undefined): (number | string)[] {
  return specs === undefined ? ["", "", ""] : [specs.passed, specs.skipped, specs.failed.length];
}

/**
 * How a member begins with nothing, told so that it can be taken back while it runs: a pod's annotations are read into variables, and those
 * into flags, whenever its container starts. What was right when the member was new would let it begin a second cluster, or vote without
 * its memory, if it ever lost its data.
 */
import type { BootstrapFlags, FlagSource } from "./flags.ts";
import { bootstrapAnnotationKeys, initialCheckAnnotation } from "./names.ts";

type Flag = keyof typeof bootstrapAnnotationKeys;

const VARIABLES: { readonly [flag in Flag]: string } = {
  "initial-cluster": "INITIAL_CLUSTER",
  "initial-cluster-state": "INITIAL_CLUSTER_STATE",
  "initial-cluster-token": "INITIAL_CLUSTER_TOKEN",
};

/** Flags whose values are looked up when the container starts. One that is missing there makes etcd fail, and never begin. */
const referencedBootstrapFlags: BootstrapFlags = {
  "initial-cluster": `$(${VARIABLES["initial-cluster"]})`,
  "initial-cluster-state": `$(${VARIABLES["initial-cluster-state"]})`,
  "initial-cluster-token": `$(${VARIABLES["initial-cluster-token"]})`,
};

/** Looked up in the same way: a member that is kept from starting by the data of others can be let start where it is. */
export const referencedFlags: FlagSource = { birth: referencedBootstrapFlags, initialCheck: "$(INITIAL_CHECK)" };

/** The variables that these values are looked up in. */
export function bootstrapVariables() {
  const births = FLAGS.map((flag) => variable(VARIABLES[flag], bootstrapAnnotationKeys[flag]));
  return [...births, variable("INITIAL_CHECK", initialCheckAnnotation)];
}

function variable(name: string, annotation: string) {
  return { name, valueFrom: { fieldRef: { fieldPath: `metadata.annotations['${annotation}']` } } };
}

const FLAGS: readonly Flag[] = ["initial-cluster", "initial-cluster-state", "initial-cluster-token"];

/** The annotations that the variables come from. A token means nothing to who joins, but an empty one is no flag. */
export function bootstrapAnnotations(birth: BootstrapFlags, token: string): { readonly [annotation: string]: string } {
  const whole: { readonly [flag in Flag]: string } = {
    "initial-cluster": birth["initial-cluster"] ?? "",
    "initial-cluster-state": birth["initial-cluster-state"] ?? "",
    "initial-cluster-token": token,
  };
  return Object.fromEntries(FLAGS.map((flag) => [bootstrapAnnotationKeys[flag], whole[flag]]));
}

/**
 * Bootstrap flags that can be cleared while the member runs: annotations of the pod become environment variables, and these become flags,
 * whenever the container starts. If a member lost its data, its original flags would bootstrap a second cluster or let it vote without
 * data.
 */
import type { BootstrapFlags, FlagSource } from "./flags.ts";
import { bootstrapAnnotationKeys, initialCheckAnnotation } from "./names.ts";

type Flag = keyof typeof bootstrapAnnotationKeys;

const VARIABLES: { readonly [flag in Flag]: string } = {
  "initial-cluster": "INITIAL_CLUSTER",
  "initial-cluster-state": "INITIAL_CLUSTER_STATE",
  "initial-cluster-token": "INITIAL_CLUSTER_TOKEN",
};

/** Flags with values from variables. If a variable is missing, etcd fails instead of bootstrapping. */
const referencedBootstrapFlags: BootstrapFlags = {
  "initial-cluster": `$(${VARIABLES["initial-cluster"]})`,
  "initial-cluster-state": `$(${VARIABLES["initial-cluster-state"]})`,
  "initial-cluster-token": `$(${VARIABLES["initial-cluster-token"]})`,
};

/** Also from a variable, so that a member that fails the initial check can skip it without a new pod. */
export const referencedFlags: FlagSource = { birth: referencedBootstrapFlags, initialCheck: "$(INITIAL_CHECK)" };

/** The variables for these values. */
export function bootstrapVariables() {
  const births = FLAGS.map((flag) => variable(VARIABLES[flag], bootstrapAnnotationKeys[flag]));
  return [...births, variable("INITIAL_CHECK", initialCheckAnnotation)];
}

function variable(name: string, annotation: string) {
  return { name, valueFrom: { fieldRef: { fieldPath: `metadata.annotations['${annotation}']` } } };
}

const FLAGS: readonly Flag[] = ["initial-cluster", "initial-cluster-state", "initial-cluster-token"];

/** The annotations for the variables. A joining member ignores the token, but an empty flag would be invalid. */
export function bootstrapAnnotations(birth: BootstrapFlags, token: string): { readonly [annotation: string]: string } {
  const whole: { readonly [flag in Flag]: string } = {
    "initial-cluster": birth["initial-cluster"] ?? "",
    "initial-cluster-state": birth["initial-cluster-state"] ?? "",
    "initial-cluster-token": token,
  };
  return Object.fromEntries(FLAGS.map((flag) => [bootstrapAnnotationKeys[flag], whole[flag]]));
}

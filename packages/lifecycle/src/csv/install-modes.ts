/** Install modes: whether an operator can watch the namespaces that its OperatorGroup selects. */
import type { InstallMode } from "../kinds/csv.ts";

/** The message if a mode occurs twice. */
export function duplicateModes(modes: readonly InstallMode[]): string | undefined {
  const types = modes.map(({ type }) => type);
  if (new Set(types).size === types.length) return undefined;
  const list = modes.map(({ type, supported }) => `{${type} ${supported}}`).join(" ");
  return `InstallMode list contains duplicates, cannot make set: [${list}]`;
}

/** The message if the modes do not allow an operator in a namespace to watch these namespaces. */
export function unsupportedTargets(
  modes: readonly InstallMode[],
  { namespace, targets }: { readonly namespace: string; readonly targets: readonly string[] },
): string | undefined {
  const supports = (type: string): boolean => modes.some((mode) => mode.type === type && mode.supported);
  const refusal = (type: string, what: string): string | undefined =>
    supports(type) ? undefined : `${type} InstallModeType not supported, cannot configure to watch ${what}`;
  const [first] = targets;
  if (first === undefined) {
    return "operatorgroup has invalid selected namespaces, cannot configure to watch zero namespaces";
  }
  if (targets.length === 1) {
    if (first === namespace) return refusal("OwnNamespace", "own namespace");
    if (first === "") return refusal("AllNamespaces", "all namespaces");
    return refusal("SingleNamespace", "one namespace");
  }
  const several = refusal("MultiNamespace", `${targets.length} namespaces`);
  if (several !== undefined) return several;
  for (const target of targets) {
    const own = target === namespace ? refusal("OwnNamespace", "own namespace") : undefined;
    if (own !== undefined) return own;
    if (target === "") {
      return "operatorgroup has invalid selected namespaces, NamespaceAll found when |selected namespaces| > 1";
    }
  }
  return undefined;
}

/** Warnings about deprecated node labels. */
import type { NodeSelectorTerm } from "@capstan/kinds/v1";
import { checkLabelValue } from "@capstan/model";

const deprecated: Readonly<Record<string, string>> = {
  "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
  "failure-domain.beta.kubernetes.io/region": 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  "failure-domain.beta.kubernetes.io/zone": 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  "beta.kubernetes.io/instance-type": 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  "app.kubernetes.io/created-by": "deprecated since v1.9",
  "scheduler.alpha.kubernetes.io/preferAvoidPods": "deprecated since v1.22; use Taints and Tolerations instead",
  "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
};

/** The warning about a node label, if it is deprecated. */
export function nodeLabelWarning(label: string): string | undefined {
  return Object.hasOwn(deprecated, label) ? deprecated[label] : undefined;
}

/** Warnings about a term of a node selector. Invalid values in preferred terms only cause a warning. */
export function nodeTermWarnings(term: NodeSelectorTerm, path: string, checksValues: boolean): string[] {
  return (term.matchExpressions ?? []).flatMap(({ key, values = [] }, index) => {
    const here = `${path}.matchExpressions[${index}]`;
    const message = nodeLabelWarning(key);
    return [
      ...(message === undefined ? [] : [`${here}.key: ${key} is ${message}`]),
      ...(checksValues
        ? values.flatMap((value, at) =>
            checkLabelValue(value).map((why) => `${here}.values[${at}]: ${value} is invalid, ${why}`),
          )
        : []),
    ];
  });
}

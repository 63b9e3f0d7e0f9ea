/** Priority: resolves priorityClassName to a number, and allows at most one default class. */
import type { PriorityClass } from "@capstan/kinds/scheduling.k8s.io/v1";
import type { Pod } from "@capstan/kinds/v1";
import type { KubeObject } from "@capstan/model";
import type { Draft } from "../builtin/draft.ts";
import type { Lookup } from "../builtin/context.ts";
import type { AdmissionContext, AdmissionRequest, AdmissionStep } from "./admission.ts";
import { isFor, objectOf, oldObjectOf, refusal } from "./target.ts";

const classes = "priorityclasses.scheduling.k8s.io";

export const priority: AdmissionStep = {
  name: "Priority",
  handles: (operation) => operation === "CREATE" || operation === "UPDATE",
  mutate(request, context) {
    if (!isFor(request, "pods")) return;
    if (request.operation === "UPDATE") keepPriority(request);
    else setPriority(request, context);
  },
  validate: onlyOneDefault,
};

type Spec = NonNullable<Draft<Pod>["spec"]>;

/** An update without priority keeps the old one. */
function keepPriority(request: AdmissionRequest): void {
  const { spec } = objectOf<Pod>(request);
  const { spec: old } = oldObjectOf<Pod>(request);
  if (spec === undefined || old === undefined) return;
  if (spec.priority === undefined && old.priority !== undefined) spec.priority = old.priority;
  if (spec.preemptionPolicy === undefined && old.preemptionPolicy !== undefined) {
    spec.preemptionPolicy = old.preemptionPolicy;
  }
}

function setPriority(request: AdmissionRequest, { lookup }: AdmissionContext): void {
  const { spec } = objectOf<Pod>(request);
  if (spec === undefined) return;
  const { name, value, preemptionPolicy } = establish(request, spec, lookup);
  if (name !== "") spec.priorityClassName = name;
  if (spec.priority !== undefined && spec.priority !== value) {
    const why = `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`;
    throw refusal(request, why);
  }
  spec.priority = value;
  if (preemptionPolicy === undefined) return;
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy) {
    const why = `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${preemptionPolicy} from the given PriorityClass name`;
    throw refusal(request, why);
  }
  spec.preemptionPolicy = preemptionPolicy;
}

interface Established {
  readonly name: string;
  readonly value: number;
  readonly preemptionPolicy: NonNullable<Spec["preemptionPolicy"]> | undefined;
}

function establish(request: AdmissionRequest, { priorityClassName: asked = "" }: Spec, lookup: Lookup): Established {
  const found = asked === "" ? defaultClass(lookup) : lookup.get(classes, asked);
  if (found !== undefined) {
    const { metadata, value = 0, preemptionPolicy } = found as PriorityClass;
    return { name: metadata.name ?? "", value, preemptionPolicy: preemptionPolicy as Established["preemptionPolicy"] };
  }
  if (asked !== "") throw refusal(request, `no PriorityClass with name ${asked} was found`);
  return { name: "", value: 0, preemptionPolicy: "PreemptLowerPriority" };
}

/** Of several defaults (after a race) the lowest priority wins. */
function defaultClass(lookup: Lookup): PriorityClass | undefined {
  const all = lookup.list(classes) as readonly (KubeObject & PriorityClass)[];
  return all
    .filter(({ globalDefault }) => globalDefault === true)
    .reduce<PriorityClass | undefined>(
      (least, one) => (least === undefined || (least.value ?? 0) > (one.value ?? 0) ? one : least),
      undefined,
    );
}

function onlyOneDefault(request: AdmissionRequest, { lookup }: AdmissionContext): void {
  if (!isFor(request, "priorityclasses", "scheduling.k8s.io")) return;
  const { globalDefault, metadata } = objectOf<PriorityClass>(request);
  if (globalDefault !== true) return;
  const present = defaultClass(lookup)?.metadata.name;
  if (present === undefined || (request.operation === "UPDATE" && present === metadata.name)) return;
  throw refusal(request, `PriorityClass ${present} is already marked as default. Only one default can exist`);
}

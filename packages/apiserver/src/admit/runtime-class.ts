/** RuntimeClass: copies overhead, node selector and tolerations of the runtime class to the pod. */
import type { RuntimeClass } from "@capstan/kinds/node.k8s.io/v1";
import type { Pod, Toleration } from "@capstan/kinds/v1";
import { isDeepEqual, normalizeQuantity, quote, StatusError, toFailure, type KubeObject } from "@capstan/model";
import type { Draft } from "../builtin/draft.ts";
import { isGiven } from "../builtin/given-empty.ts";
import type { ResourceList } from "@capstan/model";
import type { AdmissionContext, AdmissionRequest, AdmissionStep } from "./admission.ts";
import { isFor, objectOf, refusal } from "./target.ts";
import { unaskable } from "./unaskable-name.ts";

type ClassObject = RuntimeClass & KubeObject;

export const runtimeClass: AdmissionStep = {
  name: "RuntimeClass",
  handles: (operation) => operation === "CREATE",
  mutate(request, context) {
    const found = classFor(request, context);
    if (found === undefined) return;
    setOverhead(request, found);
    setScheduling(request, found);
  },
  validate(request, context) {
    if (isFor(request, "pods")) checkOverhead(request, classFor(request, context));
  },
};

function classFor(request: AdmissionRequest, { lookup }: AdmissionContext): ClassObject | undefined {
  if (!isFor(request, "pods")) return undefined;
  const name = objectOf<Pod>(request).spec?.runtimeClassName;
  if (name === undefined) return undefined;
  const found = lookup.get("runtimeclasses.node.k8s.io", name);
  if (found !== undefined) return found as ClassObject;
  const message = unaskable(name);
  if (message !== undefined) throw new StatusError(toFailure({ code: 500, reason: "", message }));
  throw refusal(request, `pod rejected: RuntimeClass ${quote(name)} not found`);
}

function sameAmounts(left: ResourceList, right: ResourceList): boolean {
  const normal = (list: ResourceList): ResourceList =>
    Object.fromEntries(Object.entries(list).map(([name, amount]) => [name, normalizeQuantity(amount)]));
  return isDeepEqual(normal(left), normal(right));
}

const mismatch = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

function setOverhead(request: AdmissionRequest, { overhead }: ClassObject): void {
  const { spec } = objectOf<Pod>(request);
  if (overhead === undefined || spec === undefined) return;
  const given = spec.overhead ?? {};
  const wanted = overhead.podFixed ?? {};
  if (Object.keys(given).length > 0 && !sameAmounts(given, wanted)) throw refusal(request, mismatch);
  spec.overhead = { ...wanted };
}

function checkOverhead(request: AdmissionRequest, found: ClassObject | undefined): void {
  const { spec } = objectOf<Pod>(request);
  if (found?.overhead !== undefined) {
    if (!sameAmounts(spec?.overhead ?? {}, found.overhead.podFixed ?? {})) throw refusal(request, mismatch);
  } else if (spec !== undefined && isGiven(spec, "overhead")) {
    throw refusal(request, "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
  }
}

function setScheduling(request: AdmissionRequest, { scheduling }: ClassObject): void {
  const { spec } = objectOf<Pod>(request);
  if (scheduling === undefined || spec === undefined) return;
  const given = spec.nodeSelector ?? {};
  for (const [key, value] of Object.entries(scheduling.nodeSelector ?? {})) {
    const present = given[key];
    if (present === undefined || present === value) continue;
    const why = `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${present}`;
    throw refusal(request, why);
  }
  if (scheduling.nodeSelector !== undefined) spec.nodeSelector = { ...given, ...scheduling.nodeSelector };
  const tolerations = mergeTolerations([...(spec.tolerations ?? []), ...(scheduling.tolerations ?? [])]);
  if (tolerations.length > 0) spec.tolerations = tolerations;
}

/** Drops tolerations that another one covers; of equal ones the first is kept. Takes linear time: what covers is looked up. */
function mergeTolerations(all: readonly Toleration[]): Draft<Toleration>[] {
  const longest = new Map<string, { readonly seconds: number; readonly index: number }>();
  for (const [index, one] of all.entries()) {
    const name = nameOf(one.key, one.effect, matchOf(one));
    const seconds = secondsOf(one);
    if (seconds > (longest.get(name)?.seconds ?? -Infinity)) longest.set(name, { seconds, index });
  }
  const kept = all.filter((one, index) => {
    const own = nameOf(one.key, one.effect, matchOf(one));
    return !coveringNames(one).some((name) => {
      const found = longest.get(name);
      if (found === undefined || found.seconds < secondsOf(one)) return false;
      return name !== own || found.seconds > secondsOf(one) || found.index < index;
    });
  });
  return kept.map((one) => ({ ...one }) as Draft<Toleration>);
}

function nameOf(key: string | undefined, effect: string | undefined, match: string): string {
  return JSON.stringify([key ?? "", effect ?? "", match]);
}

/** What a toleration tolerates of a key: everything, a value, or, with other operators, only what is equal to it. */
function matchOf(one: Toleration): string {
  if (one.operator === "Exists") return "everything";
  return isEqual(one) ? `= ${one.value ?? ""}` : JSON.stringify(one);
}

function secondsOf({ tolerationSeconds }: Toleration): number {
  return tolerationSeconds ?? Infinity;
}

/** The names of all tolerations that may cover one: of the same or every key, effect and value. */
function coveringNames(one: Toleration): string[] {
  const matches = new Set([matchOf(one), "everything"]);
  const names = ["", one.key].flatMap((key) =>
    ["", one.effect].flatMap((effect) => [...matches].map((match) => nameOf(key, effect, match))),
  );
  return [...new Set(names)];
}

function isEqual({ operator }: Toleration): boolean {
  return operator === undefined || operator === "Equal";
}

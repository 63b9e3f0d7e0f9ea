/** Conditions: declared names, with the generation they were observed at and the time of their last transition. */

/** A condition as Kubernetes keeps it. */
export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly observedGeneration?: number;
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

/** The reason and message of a condition. */
export interface ConditionDetails {
  /** One word in CamelCase. */
  readonly reason?: string;
  readonly message?: string;
}

/** Declares a condition to be true, false or unknown. */
export type SetCondition = (type: string, holds: boolean | "Unknown", details?: ConditionDetails | string) => void;

/** Which conditions of a draft were set during the reconcile. */
export const touched: WeakMap<object, Set<string>> = new WeakMap();

interface SetterOptions {
  readonly fields: { conditions?: Condition[] };
  readonly generation: number | undefined;
  readonly time: () => string;
  readonly check?: ((condition: string) => void) | undefined;
}

/** The `condition` method of one draft. */
export function conditionSetter({ fields, generation, time, check }: SetterOptions): SetCondition {
  const set = new Set<string>();
  touched.set(fields, set);
  // A condition that is set and reset within a reconcile is not a transition: compare with the state before the reconcile.
  const original = fields.conditions === undefined ? [] : [...fields.conditions];
  return (type, holds, details = {}) => {
    check?.(type);
    const { reason, message } = typeof details === "string" ? { reason: undefined, message: details } : details;
    const status = holds === "Unknown" ? "Unknown" : holds ? "True" : "False";
    const conditions = (fields.conditions ??= []);
    const at = conditions.findIndex((condition) => condition.type === type);
    const before = original.find((condition) => condition.type === type);
    const former = before?.status === status ? before : conditions[at];
    const next: Condition = {
      type,
      status,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      lastTransitionTime: former?.status === status ? former.lastTransitionTime : time(),
      reason: reason ?? usualReason(type, status),
      message: message ?? "",
    };
    set.add(type);
    if (at < 0) conditions.push(next);
    else conditions[at] = next;
  };
}

/** A reason is required and must be a CamelCase word: the default is derived from type and status. */
function usualReason(type: string, status: Condition["status"]): string {
  const word = type.replace(/^.*\//u, "").replaceAll(/[^A-Za-z0-9]+/gu, "_");
  const isWord = /^[A-Za-z]/u.test(word);
  return status === "True" ? (isWord ? word : `Is${word}`) : status === "False" ? `Not${word}` : "Unknown";
}

/** A status with conditions and the method that sets one. */
interface Conditioned {
  readonly conditions?: Condition[];
  readonly condition: SetCondition;
}

/** Sets `Ready` from other conditions: true when all are true; otherwise the state and reason of the first that is not. */
export function rollUp(status: Conditioned, names: readonly string[]): void {
  if (names.length === 0) return;
  const found = names.map((name) => status.conditions?.find(({ type }) => type === name));
  const at = found.findIndex((condition) => condition?.status !== "True");
  if (at < 0) return status.condition("Ready", true);
  const { status: state = "Unknown", reason = "Unknown", message = "" } = found[at] ?? {};
  const because = `${names[at]}: ${message === "" ? reason : message}`;
  status.condition("Ready", state === "False" ? false : "Unknown", { reason, message: because });
}

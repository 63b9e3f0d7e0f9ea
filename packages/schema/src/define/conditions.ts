/** Conditions: what is true of an object right now, since when and why. */
import type { JsonSchema } from "./json-schema.ts";

/**
 * A condition in status, as every Kubernetes tool reads it.
 *
 * @example
 * const isTrue = (conditions: readonly Condition[], type: string) =>
 *   conditions.some((condition) => condition.type === type && condition.status === "True");
 */
export interface Condition<Type extends string = string> {
  readonly type: Type;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}

/** Conditions that the runtime sets for every kind with conditions: they need no declaration. */
export const runtimeConditions: readonly ["Paused", "Stalled"] = ["Paused", "Stalled"];

/** What the declared conditions add to the schema of status. */
export const conditionFields: { readonly [name: string]: JsonSchema } = {
  observedGeneration: {
    type: "integer",
    format: "int64",
    description: "The generation of the spec that this status speaks of",
  },
  conditions: {
    type: "array",
    description: "What is true of this object right now",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["type"],
    items: {
      type: "object",
      required: ["type", "status", "lastTransitionTime", "reason", "message"],
      properties: {
        type: { type: "string", maxLength: 316 },
        status: { type: "string", enum: ["True", "False", "Unknown"] },
        reason: { type: "string", minLength: 1, maxLength: 1024, pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$" },
        message: { type: "string", maxLength: 32768 },
        lastTransitionTime: { type: "string", format: "date-time" },
        observedGeneration: { type: "integer", format: "int64", minimum: 0 },
      },
    },
  },
};

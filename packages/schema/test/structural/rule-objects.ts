/** Objects for the schemas of the rule cases, so that rules hold, are violated and fail. */
import type { Json } from "@capstan/model";

import { ruleCases } from "./crd-cases.ts";
import { objectOf } from "./generate.ts";
import type { Random } from "./random.ts";

type Fields = { [key: string]: Json };

/** An input with rules: a schema, an object and perhaps the one before. */
export interface RuleQuestion {
  readonly schema: Fields;
  readonly object: Json;
  readonly old?: Json;
}

const decorations: readonly Fields[] = [
  {},
  { message: "must be so" },
  { reason: "FieldValueForbidden" },
  { reason: "FieldValueRequired", message: "needed" },
  { reason: "FieldValueDuplicate" },
];

/** Inputs for one rule case. */
export function ruleQuestions(random: Random): RuleQuestion[] {
  return ruleCases.flatMap(([inner, rules]) => {
    const decorated = rules.map((rule) => ({ ...random.pick(decorations), ...rule }));
    const field: Fields = { ...inner, "x-kubernetes-validations": decorated };
    const schema: Fields = {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: {
            x: field,
            list: { type: "array", items: field },
            map: { type: "object", additionalProperties: field },
            named: {
              type: "array",
              "x-kubernetes-list-type": "map",
              "x-kubernetes-list-map-keys": ["name"],
              items: { type: "object", required: ["name"], properties: { name: { type: "string" }, x: field } },
            },
          },
        },
      },
    };
    return [0, 1, 2].map((turn) => {
      const object = ruledObject(random, inner, turn);
      if (turn === 0) return { schema, object };
      return { schema, object, old: random.chance(0.3) ? object : ruledObject(random, inner, turn) };
    });
  });
}

function ruledObject(random: Random, inner: Fields, turn: number): Json {
  const value = (): Json => objectOf(random, inner);
  const named = ["a", "b"].map((name) => ({ name, x: value() }));
  return {
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name: "w", namespace: "default", ...(turn > 0 ? { resourceVersion: "1" } : {}) },
    spec: {
      x: value(),
      list: [value(), value()],
      map: { k: value() },
      named: random.chance(0.5) ? named : named.reverse(),
    },
  };
}

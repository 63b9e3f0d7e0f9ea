/** Every input of the oracle, generated again from seeds, in the order of the recorded results. */
import type { Json } from "@capstan/model";

import type { ScalePaths } from "../../src/structural/scale.ts";
import { baseCrd, crdCases, updateCases } from "./crd-cases.ts";
import { changed, randomObject, randomSchema } from "./generate.ts";
import { columns, formatNames, formatSamples, printed, templates } from "./print-cases.ts";
import { randomFrom } from "./random.ts";
import { ruleQuestions } from "./rule-objects.ts";

/** An input: an object under a schema. */
export interface ObjectQuestion {
  readonly op: "object";
  readonly schema: Json;
  readonly object: Json;
  readonly old?: Json;
  readonly scale?: ScalePaths;
}

/** An input: a definition. */
export interface CrdQuestion {
  readonly op: "crd";
  readonly crd: Json;
  readonly oldCrd?: Json;
}

/** Random schemas with four objects each, two of them updates. */
export function objectQuestions(schemas: number): ObjectQuestion[] {
  return Array.from({ length: schemas }, (_unused, seed) => objectsOf(seed)).flat();
}

function objectsOf(seed: number): ObjectQuestion[] {
  const random = randomFrom(seed);
  const schema = randomSchema(random);
  return [0, 1, 2, 3].map((turn) => {
    const object = randomObject(random, schema);
    if (turn < 2) return { op: "object", schema, object };
    return { op: "object", schema, object: changed(random, object, schema), old: changed(random, object, schema) };
  });
}

const scaleValues: readonly Json[] = [3, 0, -1, 2147483648, 1.5, "x", true, null, [], {}, 2147483647];

/** Objects whose scale subresource has all kinds of values. */
export function scaleQuestions(): ObjectQuestion[] {
  const schema: Json = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const scale = { specReplicasPath: ".spec.n", statusReplicasPath: ".status.a.n", labelSelectorPath: ".status.s" };
  const meta = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w", namespace: "default" } };
  return scaleValues.flatMap((value): ObjectQuestion[] => [
    { op: "object", schema, scale, object: { ...meta, spec: { n: value }, status: { a: { n: value }, s: value } } },
    { op: "object", schema, scale, object: { ...meta, spec: value, status: { a: value } } },
  ]);
}

/** Objects under rules in CEL. */
export function ruledQuestions(seeds: number): ObjectQuestion[] {
  return Array.from({ length: seeds }, (_unused, seed) => ruleQuestions(randomFrom(seed + 1)))
    .flat()
    .map((question) => ({ op: "object", ...question }));
}

/** Definitions, new and updated. */
export function crdQuestions(): CrdQuestion[] {
  return [
    ...crdCases().map((crd): CrdQuestion => ({ op: "crd", crd })),
    ...updateCases().map(([crd, oldCrd]): CrdQuestion => ({ op: "crd", crd, oldCrd })),
  ];
}

/** An input: the published schemas of a definition. */
export interface PublishQuestion {
  readonly op: "openapi";
  readonly v2: boolean;
  readonly version: "v1";
  readonly schema: Json;
  readonly crd: Json;
}

/** Random schemas, published in both versions of OpenAPI. */
export function publishQuestions(schemas: number): PublishQuestion[] {
  return Array.from({ length: schemas }, (_unused, seed) => randomSchema(randomFrom(seed + 900))).flatMap((schema) =>
    [false, true].map((v2): PublishQuestion => {
      const crd = baseCrd(schema, { selectableFields: [{ jsonPath: ".spec.alpha" }] });
      return { op: "openapi", v2, version: "v1", schema, crd };
    }),
  );
}

/** All inputs by the name of their file of results. */
export function allQuestions(): Readonly<Record<string, readonly object[]>> {
  return {
    objects: objectQuestions(150),
    rules: ruledQuestions(3),
    scale: scaleQuestions().map(({ scale, ...question }) => ({ ...question, scale: goScale(scale) })),
    crds: crdQuestions(),
    published: publishQuestions(60).map(({ schema: _unused, ...question }) => question),
    paths: templates.flatMap((template) =>
      [true, false].map((allowMissing) => ({ op: "path", template, allowMissing, object: printed })),
    ),
    columns: columns.map((column) => ({ op: "table", columns: [column], object: printed })),
    formats: formatNames.flatMap((format) => formatSamples.map((value) => ({ op: "format", format, value }))),
  };
}

/** The internal type of the server has no JSON names. */
function goScale(scale: ScalePaths | undefined): Json {
  return {
    SpecReplicasPath: scale?.specReplicasPath ?? "",
    StatusReplicasPath: scale?.statusReplicasPath ?? "",
    LabelSelectorPath: scale?.labelSelectorPath ?? null,
  };
}

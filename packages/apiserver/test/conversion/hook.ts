/** A conversion webhook: `spec.a` of version 1 is `spec.b` of version 2. An annotation makes it misbehave. */

interface Metadata {
  readonly name: string;
  readonly annotations?: { readonly mode?: string };
}

interface Converted {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: Metadata & { readonly labels?: Record<string, string>; readonly [field: string]: unknown };
  readonly spec?: { readonly a?: number; readonly b?: number };
}

interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: {
    readonly uid: string;
    readonly desiredAPIVersion: string;
    readonly objects: readonly Converted[];
  };
}

/** The response to a review. */
export function answerReview(text: string): { readonly status: number; readonly body: string } {
  const review = JSON.parse(text) as Review;
  const { uid, objects } = review.request;
  const mode = objects[0]?.metadata?.annotations?.mode ?? "";
  if (mode === "http") return { status: 500, body: "boom" };
  if (mode === "garbage") return { status: 200, body: "not json" };
  const apiVersion = mode === "gvk" ? "apiextensions.k8s.io/v1beta1" : review.apiVersion;
  const response = misanswered(mode, uid) ?? {
    uid,
    convertedObjects: [...objects, ...(mode === "more" ? objects : [])].map((object) =>
      misconverted(mode, convert(object, review.request.desiredAPIVersion)),
    ),
    result: { status: "Success" },
  };
  const { kind } = review;
  return {
    status: 200,
    body: JSON.stringify(mode === "silence" ? { apiVersion, kind } : { apiVersion, kind, response }),
  };
}

function convert({ spec = {}, ...object }: Converted, apiVersion: string): Converted {
  const { a, b, ...rest } = spec;
  const value = a ?? b;
  const renamed = value === undefined ? rest : { ...rest, [apiVersion.endsWith("/v2") ? "b" : "a"]: value };
  return { ...object, apiVersion, spec: renamed };
}

function misanswered(mode: string, uid: string): object | undefined {
  switch (mode) {
    case "fail":
      return { uid, convertedObjects: [], result: { status: "Failed", message: "i will not" } };
    case "mute":
      return { uid, convertedObjects: [], result: { status: "Failed" } };
    case "uid":
      return { uid: "another", convertedObjects: [], result: { status: "Success" } };
    case "few":
      return { uid, convertedObjects: [], result: { status: "Success" } };
    case "null":
      return { uid, convertedObjects: null, result: { status: "Success" } };
    case "no-result":
      return { uid, convertedObjects: [] };
    case "texts":
      return { uid, convertedObjects: ["x"], result: { status: "Success" } };
    case "reason":
      return { uid, result: { status: "Failure", reason: "Gone", code: 410 } };
    default:
      return undefined;
  }
}

/** The metadata that each misbehaviour returns. */
const badMetadata: { readonly [mode: string]: (metadata: Metadata) => object } = {
  rename: () => ({ name: "other" }),
  move: () => ({ namespace: "other" }),
  identity: () => ({ uid: "another" }),
  nameless: () => ({ name: "" }),
  age: () => ({ generation: 77, creationTimestamp: "2001-01-01T00:00:00Z" }),
  deletion: () => ({ deletionTimestamp: "2001-01-01T00:00:00Z", managedFields: [] }),
  annotate: ({ annotations }) => ({ annotations: { ...annotations, via: "webhook" } }),
  number: () => ({ labels: { a: 5 } }),
  label: () => ({ labels: { "a b": "c" } }),
  relabel: () => ({ labels: { via: "webhook" }, finalizers: ["x/y"] }),
};

function misconverted(mode: string, { metadata, ...object }: Converted): Converted {
  if (metadata === undefined) return object;
  const whole = { ...object, metadata };
  switch (mode) {
    case "version":
      return { ...whole, apiVersion: "example.org/v9" };
    case "kind":
      return { ...whole, kind: "Other" };
    case "bare":
      return object;
    case "large":
      return { ...whole, spec: { a: 99, b: 99 } };
    default:
      return { ...object, metadata: { ...metadata, ...badMetadata[mode]?.(metadata) } };
  }
}

/** Finds the field that a function reads: it is called with an object that records its path. */
import { MeterError } from "../error.ts";

const pathOf = Symbol("path");

/** The dotted path of the field that a function returns. */
export function recordedPath(meter: string, read: (object: unknown) => unknown): string {
  const refusal = new MeterError(
    "BadInput",
    `the value of the meter ${meter} must be one field, such as (object) => object.spec.size; for more write value: { expression: "..." } in CEL`,
  );
  let found: unknown;
  try {
    found = read(recorder([], refusal));
  } catch (cause) {
    throw cause === refusal ? refusal : new MeterError("BadInput", refusal.message, { cause });
  }
  const path = typeof found === "object" && found !== null && pathOf in found ? found[pathOf] : undefined;
  if (!Array.isArray(path) || path.length === 0) throw refusal;
  return path.join(".");
}

/** Every field of it is such an object again; it has no value to compute with. */
function recorder(path: readonly string[], refusal: MeterError): object {
  return new Proxy(
    {},
    {
      has: (_target, key) => key === pathOf,
      get: (_target, key) => {
        if (key === pathOf) return path;
        if (typeof key === "symbol") throw refusal;
        return recorder([...path, key], refusal);
      },
    },
  );
}

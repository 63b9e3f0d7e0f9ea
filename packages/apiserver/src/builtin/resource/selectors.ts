/** Device selectors: CEL expressions over the attributes and capacities of a device. */
import {
  ANY,
  BOOL,
  createEnv,
  declMap,
  declObject,
  declScalar,
  declTypeProvider,
  kubernetesOptions,
  sameType,
  type Env,
} from "@capstan/cel";
import type { DeviceSelector } from "@capstan/kinds/resource.k8s.io/v1";
import { byteLength, fieldErrors, type FieldError } from "@capstan/model";
import { checkList } from "./sets.ts";

const maxSelectors = 32;
const maxExpressionBytes = 10 * 1024;

let env: Env | undefined;

/** The environment of these expressions. */
function deviceEnv(): Env {
  if (env !== undefined) return env;
  const text = declScalar("string");
  const fields = {
    driver: text,
    attributes: declMap(declMap(declScalar("any"))),
    capacity: declMap(declMap(declScalar("quantity"))),
    allowMultipleAllocations: declScalar("bool"),
  };
  const declared = Object.entries(fields).map(
    ([property, type]) => [property, { property, type, required: true }] as const,
  );
  const device = declObject("kubernetes.DRADevice", new Map(declared));
  return (env = createEnv({
    ...kubernetesOptions(),
    variables: { device: device.type },
    types: [declTypeProvider(device)],
  }));
}

export function checkSelectors(selectors: readonly DeviceSelector[], path: string): FieldError[] {
  return checkList(selectors, path, maxSelectors, ({ cel }, at) =>
    cel === undefined ? [fieldErrors.required(`${at}.cel`)] : checkExpression(cel.expression, `${at}.cel.expression`),
  );
}

function checkExpression(source: string, path: string): FieldError[] {
  if (byteLength(source) > maxExpressionBytes) return [fieldErrors.tooLong(path, maxExpressionBytes)];
  const result = deviceEnv().compile(source);
  if (!result.ok) return [fieldErrors.invalid(path, source, `compilation failed: ${result.message}`)];
  const { outputType } = result.expression;
  if (sameType(outputType, BOOL) || sameType(outputType, ANY)) return [];
  const why = `must evaluate to bool or the unknown type, not ${String(outputType)}`;
  return [fieldErrors.invalid(path, source, why)];
}

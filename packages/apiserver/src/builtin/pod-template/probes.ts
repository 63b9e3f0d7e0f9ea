/** Validation of probes and lifecycle hooks. */
import type { Container, Lifecycle, LifecycleHandler, Probe } from "@capstan/kinds/v1";
import { checkHttpHeaderName, fieldErrors, type FieldError } from "@capstan/model";
import { checkNonNegative, checkOneOf, checkPort, checkPresent, invalidEach } from "../meta/checks.ts";

type Handler = Pick<Probe, "exec" | "httpGet" | "tcpSocket" | "grpc"> & Pick<LifecycleHandler, "sleep">;

/** Checks the three probes of a container. */
export function checkProbes(
  { livenessProbe, readinessProbe, startupProbe }: Container,
  path: string,
  gracePeriod: number | undefined,
): FieldError[] {
  return [
    ...checkDecisive(livenessProbe, `${path}.livenessProbe`, gracePeriod),
    ...checkReadiness(readinessProbe, `${path}.readinessProbe`, gracePeriod),
    ...checkDecisive(startupProbe, `${path}.startupProbe`, gracePeriod),
  ];
}

/** Liveness and startup probes require a success threshold of 1. */
function checkDecisive(probe: Probe | undefined, path: string, gracePeriod: number | undefined): FieldError[] {
  if (probe === undefined) return [];
  const errors = checkProbe(probe, path, gracePeriod);
  if (probe.successThreshold === 1) return errors;
  return [...errors, fieldErrors.invalid(`${path}.successThreshold`, probe.successThreshold ?? 0, "must be 1")];
}

function checkReadiness(probe: Probe | undefined, path: string, gracePeriod: number | undefined): FieldError[] {
  if (probe === undefined) return [];
  const errors = checkProbe(probe, path, gracePeriod);
  const grace = probe.terminationGracePeriodSeconds;
  if (grace === undefined) return errors;
  const why = "must not be set for readinessProbes";
  return [...errors, fieldErrors.invalid(`${path}.terminationGracePeriodSeconds`, grace, why)];
}

const probeNumbers = [
  "initialDelaySeconds",
  "timeoutSeconds",
  "periodSeconds",
  "successThreshold",
  "failureThreshold",
] as const;

function checkProbe(probe: Probe, path: string, gracePeriod: number | undefined): FieldError[] {
  const { terminationGracePeriodSeconds: grace } = probe;
  return [
    ...checkHandler(probe, path, gracePeriod),
    ...probeNumbers.flatMap((field) => checkNonNegative(probe[field], `${path}.${field}`)),
    ...(grace !== undefined && grace <= 0
      ? [fieldErrors.invalid(`${path}.terminationGracePeriodSeconds`, grace, "must be greater than 0")]
      : []),
  ];
}

export function checkLifecycle(
  { postStart, preStop }: Lifecycle,
  path: string,
  gracePeriod: number | undefined,
): FieldError[] {
  return [
    ...(postStart === undefined ? [] : checkHandler(postStart, `${path}.postStart`, gracePeriod)),
    ...(preStop === undefined ? [] : checkHandler(preStop, `${path}.preStop`, gracePeriod)),
  ];
}

const handlerTypes = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"] as const;

/** Requires exactly one handler; only the first is validated. */
function checkHandler(handler: Handler, path: string, gracePeriod: number | undefined): FieldError[] {
  const [first, ...others] = handlerTypes.filter((type) => handler[type] !== undefined);
  if (first === undefined) return [fieldErrors.required(path, "must specify a handler type")];
  return [
    ...checkAction(handler, first, `${path}.${first}`, gracePeriod),
    ...others.map((type) => fieldErrors.forbidden(`${path}.${type}`, "may not specify more than 1 handler type")),
  ];
}

function checkAction(
  handler: Handler,
  type: (typeof handlerTypes)[number],
  path: string,
  gracePeriod: number | undefined,
): FieldError[] {
  switch (type) {
    case "exec":
      return (handler.exec?.command ?? []).length > 0 ? [] : [fieldErrors.required(`${path}.command`)];
    case "httpGet":
      return checkHttpGet(handler.httpGet, path);
    case "tcpSocket":
      return checkPort(handler.tcpSocket?.port, `${path}.port`);
    case "grpc":
      return checkPort(handler.grpc?.port, `${path}.port`);
    case "sleep":
      return checkSleep(handler.sleep?.seconds ?? 0, path, gracePeriod);
  }
}

function checkHttpGet(action: Probe["httpGet"], path: string): FieldError[] {
  return [
    ...checkPresent(action?.path, `${path}.path`),
    ...checkPort(action?.port, `${path}.port`),
    ...checkOneOf(action?.scheme, `${path}.scheme`, ["HTTP", "HTTPS"]),
    ...(action?.httpHeaders ?? []).flatMap(({ name }) =>
      invalidEach(`${path}.httpHeaders`, name, checkHttpHeaderName(name)),
    ),
  ];
}

function checkSleep(seconds: number, path: string, gracePeriod: number | undefined): FieldError[] {
  if (gracePeriod === undefined || (seconds >= 0 && seconds <= gracePeriod)) return [];
  const why = `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`;
  return [fieldErrors.invalid(path, seconds, why)];
}

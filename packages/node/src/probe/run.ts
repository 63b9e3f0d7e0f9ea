/** Runs the command or the network check of a probe or a hook. */
import type { Clock } from "@capstan/client";
import type { Container, HTTPGetAction, LifecycleHandler, Probe, TCPSocketAction } from "@capstan/kinds/v1";
import type { CheckResult, NetworkCheck, Runtime, Sandbox } from "../runtime/runtime.ts";

export interface ProbeTools {
  readonly runtime: Runtime;
  readonly clock: Clock;
  readonly sandbox: Sandbox;
  readonly id: string;
}

/** Runs a probe once. Any error is a failed probe. */
export async function runProbe(probe: Probe, container: Container, tools: ProbeTools): Promise<CheckResult> {
  const timeoutMs = (probe.timeoutSeconds ?? 1) * 1000;
  try {
    if (probe.exec !== undefined) return await tools.runtime.runCommand(tools.id, probe.exec.command ?? [], timeoutMs);
    const check = checkOf(probe, container, tools.sandbox);
    if (check === undefined) return { passed: false, output: "missing probe handler" };
    return await tools.runtime.check(tools.sandbox, check, timeoutMs);
  } catch (thrown) {
    return { passed: false, output: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

/** Runs a hook until it ends or times out. */
export async function runHook(
  hook: LifecycleHandler,
  container: Container,
  tools: ProbeTools,
  timeoutMs: number,
): Promise<CheckResult> {
  const { runtime, clock, id } = tools;
  try {
    if (hook.exec !== undefined) return await runtime.runCommand(id, hook.exec.command ?? [], timeoutMs);
    if (hook.sleep !== undefined) {
      const milliseconds = Math.min(timeoutMs, hook.sleep.seconds * 1000);
      await new Promise<void>((resolve) => clock.later(milliseconds, resolve));
      return { passed: true, output: "" };
    }
    const check = checkOf(hook, container, tools.sandbox);
    return check === undefined ? { passed: true, output: "" } : await runtime.check(tools.sandbox, check, timeoutMs);
  } catch (thrown) {
    return { passed: false, output: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

function checkOf(
  handler: Pick<Probe, "httpGet" | "tcpSocket" | "grpc">,
  container: Container,
  { ips }: Sandbox,
): NetworkCheck | undefined {
  const { httpGet, tcpSocket, grpc } = handler;
  const host = ips[0] ?? "127.0.0.1";
  if (httpGet !== undefined) return httpCheck(httpGet, container, host);
  if (tcpSocket !== undefined)
    return { type: "tcp", host: tcpSocket.host ?? host, port: portOf(tcpSocket.port, container) };
  return grpc === undefined ? undefined : { type: "grpc", host, port: grpc.port, service: grpc.service ?? "" };
}

function httpCheck(action: HTTPGetAction, container: Container, podIp: string): NetworkCheck {
  const { scheme = "HTTP", host = podIp, path = "/", httpHeaders = [] } = action;
  const headers = httpHeaders.map(({ name, value }): [string, string] => [name, value]);
  return { type: "http", scheme, host, port: portOf(action.port, container), path, headers };
}

/** A port may be the name of a port of the container. */
function portOf(port: TCPSocketAction["port"], { ports = [] }: Container): number {
  if (typeof port === "number") return port;
  const named = ports.find(({ name }) => name === port);
  return named === undefined ? Number.parseInt(port, 10) : named.containerPort;
}

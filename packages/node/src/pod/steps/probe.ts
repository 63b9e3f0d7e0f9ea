/** Runs one probe of a running container and counts the result. */
import { runProbe } from "../../probe/run.ts";
import { afterAnswer, later, type ProbeKind } from "../../probe/state.ts";
import type { Bench } from "../bench.ts";

export async function askContainer(bench: Bench, name: string, kind: ProbeKind): Promise<void> {
  const { life, asking, container } = bench.recordOf(name);
  const probe = container.spec[`${kind}Probe`];
  const { sandbox } = bench.situation;
  if (life.is !== "running" || sandbox.is !== "ready" || probe === undefined) return;
  bench.change(name, { asking: new Set(asking).add(kind) });
  const { runtime, clock } = bench.tools;
  const result = await runProbe(probe, container.spec, { runtime, clock, sandbox: sandbox.sandbox, id: life.id });
  const after = bench.recordOf(name);
  const rest = new Set([...after.asking].filter((one) => one !== kind));
  const state = after.probes[kind];
  const isSameRun = after.life.is === "running" && after.life.id === life.id;
  if (!isSameRun || state === undefined) return bench.change(name, { asking: rest });
  const next =
    result.isUnknown === true
      ? later(state, probe, clock.now())
      : afterAnswer(state, probe, result.passed, clock.now());
  bench.change(name, { asking: rest, probes: { ...after.probes, [kind]: next } });
  if (result.passed) return;
  const title = `${kind[0]?.toUpperCase()}${kind.slice(1)}`;
  const how = result.isUnknown === true ? "errored and resulted in unknown state" : "failed";
  bench.tell("Warning", "Unhealthy", `${title} probe ${how}: ${result.output}`, name);
}

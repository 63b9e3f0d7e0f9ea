/** Which endpoints of a service a node sends connections to, by the rules of kube-proxy. Pure. */
import type { Endpoint, EndpointSlice } from "@capstan/kinds/discovery.k8s.io/v1";
import type { ServicePort } from "@capstan/kinds/v1";

/** A destination of connections to a service. */
export interface Backend {
  readonly ip: string;
  readonly port: number;
}

/** The node for which backends are chosen. */
export interface Viewer {
  readonly name: string;
  /** Empty if the node has no zone. */
  readonly zone: string;
}

/** An endpoint address for a port of the service. */
interface Candidate extends Backend {
  readonly endpoint: Endpoint;
}

/** All endpoints for a port. */
export function candidatesFor(
  { name = "", protocol = "TCP" }: ServicePort,
  slices: readonly EndpointSlice[],
): readonly Candidate[] {
  return slices
    .filter(({ addressType }) => addressType === "IPv4")
    .flatMap(({ endpoints, ports }) => {
      const port = ports?.find((one) => (one.name ?? "") === name && (one.protocol ?? "TCP") === protocol)?.port;
      if (port === undefined) return [];
      return (endpoints ?? []).flatMap((endpoint) => endpoint.addresses.map((ip) => ({ ip, port, endpoint })));
    });
}

/** The ready endpoints; if none is ready, those that are terminating and still serve. */
export function usable(candidates: readonly Candidate[]): readonly Backend[] {
  const ready = candidates.filter(isReady);
  const chosen =
    ready.length > 0 ? ready : candidates.filter(({ endpoint: { conditions } }) => conditions?.serving === true);
  return [...new Map(chosen.map(({ ip, port }) => [`${ip}:${port}`, { ip, port }])).values()];
}

/** The endpoints on a node. */
export function localTo(candidates: readonly Candidate[], { name }: Pick<Viewer, "name">): readonly Backend[] {
  return usable(candidates.filter(({ endpoint: { nodeName } }) => nodeName === name));
}

/**
 * The endpoints with hints for a node, if every ready one has hints: those for the node itself if there are any, else those for its zone.
 * All endpoints if none is hinted for the node, or if one has no hints.
 */
export function nearTo(candidates: readonly Candidate[], { name, zone }: Viewer): readonly Backend[] {
  const ready = candidates.filter(isReady);
  const forNode = hinted(ready, ({ forNodes }) => forNodes, name);
  if (forNode !== undefined) return usable(forNode);
  return usable(hinted(ready, ({ forZones }) => forZones, zone) ?? candidates);
}

type Hints = NonNullable<Endpoint["hints"]>;

function hinted(
  ready: readonly Candidate[],
  hintsOf: (hints: Hints) => readonly { readonly name: string }[] | undefined,
  place: string,
): readonly Candidate[] | undefined {
  const names = ready.map(({ endpoint: { hints = {} } }) => (hintsOf(hints) ?? []).map((one) => one.name));
  if (names.some((list) => list.length === 0)) return undefined;
  const found = ready.filter((_one, index) => names[index]?.includes(place));
  return found.length === 0 ? undefined : found;
}

function isReady({ endpoint: { conditions } }: Candidate): boolean {
  return conditions?.ready !== false;
}

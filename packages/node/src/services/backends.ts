/** Which endpoints of a service a node sends connections to, by the rules of kube-proxy. Pure. */
import type { Endpoint, EndpointSlice } from "@capstan/kinds/discovery.k8s.io/v1";
import type { ServicePort } from "@capstan/kinds/v1";

/** Where a connection to a service may end. */
export interface Backend {
  readonly ip: string;
  readonly port: number;
}

/** A node, as far as it matters who serves it. */
export interface Viewer {
  readonly name: string;
  /** Empty where it is in none. */
  readonly zone: string;
}

/** An address that answers at a port of the service. */
interface Candidate extends Backend {
  readonly endpoint: Endpoint;
}

/** All that might answer at a port. */
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

/** Ready ones; where there are none, those that still serve although they are about to end. */
export function usable(candidates: readonly Candidate[]): readonly Backend[] {
  const ready = candidates.filter(isReady);
  const chosen =
    ready.length > 0 ? ready : candidates.filter(({ endpoint: { conditions } }) => conditions?.serving === true);
  return [...new Map(chosen.map(({ ip, port }) => [`${ip}:${port}`, { ip, port }])).values()];
}

/** Those on a node itself. */
export function localTo(candidates: readonly Candidate[], { name }: Pick<Viewer, "name">): readonly Backend[] {
  return usable(candidates.filter(({ endpoint: { nodeName } }) => nodeName === name));
}

/**
 * Those that are near to a node, where every ready one says for whom it is: for the node itself if there are any, else for its zone; and
 * all of them where nobody is near, or somebody does not say.
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

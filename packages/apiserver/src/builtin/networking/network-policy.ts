/** NetworkPolicy: allowed traffic between pods. */
import type {
  IPBlock,
  NetworkPolicy as NetworkPolicyObject,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from "@capstan/kinds/networking.k8s.io/v1";
import { checkPortName, checkPortNumber, fieldErrors, type FieldError } from "@capstan/model";
import { checkOneOf, invalidEach } from "../meta/checks.ts";
import { bumpGenerationExactly, startGeneration } from "../meta/generation.ts";
import { isInNetwork, networkAddress, parseNetwork } from "../meta/ip-address.ts";
import { checkNetwork, networkWarnings } from "../meta/ip-checks.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { checkLabelSelector } from "../selector/label-selector.ts";
import { ageOf, selectorCell } from "../table/cells.ts";
import type { Whole } from "../whole.ts";

type NetworkPolicy = Whole<NetworkPolicyObject>;

/** Checks that an update skips because the stored object already fails them. */
interface Leniency {
  readonly invalidValues: boolean;
  readonly networks: readonly string[];
}

export const networkPolicy: KindRules<NetworkPolicy> = defineRules<NetworkPolicy>({
  defaults({ spec }) {
    for (const rule of [...(spec.ingress ?? []), ...(spec.egress ?? [])]) {
      for (const port of rule.ports ?? []) port.protocol ??= "TCP";
    }
    if ((spec.policyTypes ?? []).length > 0) return;
    spec.policyTypes = (spec.egress ?? []).length > 0 ? ["Ingress", "Egress"] : ["Ingress"];
  },
  prepareForCreate: startGeneration,
  prepareForUpdate: (draft, old) => bumpGenerationExactly(draft, old, "spec"),
  validateCreate: ({ spec }) => checkSpec(spec, { invalidValues: false, networks: [] }),
  validateUpdate: ({ spec }, old) => checkSpec(spec, leniencyAfter(old.spec)),
  warnings: ({ spec }) => blocksOf(spec).flatMap(([block, path]) => blockWarnings(block, path)),
  table: {
    row: (object, now) => ({
      cells: [object.metadata.name, selectorCell(object.spec.podSelector ?? {}), ageOf(object, now)],
    }),
  },
});

/** Every peer of every rule, with its path. */
function peersOf({ ingress = [], egress = [] }: NetworkPolicySpec): (readonly [NetworkPolicyPeer, string])[] {
  return [
    ...ingress.flatMap(({ from = [] }, index) =>
      from.map((peer, at) => [peer, `spec.ingress[${index}].from[${at}]`] as const),
    ),
    ...egress.flatMap(({ to = [] }, index) => to.map((peer, at) => [peer, `spec.egress[${index}].to[${at}]`] as const)),
  ];
}

function blocksOf(spec: NetworkPolicySpec): (readonly [IPBlock, string])[] {
  return peersOf(spec).flatMap(([{ ipBlock }, path]) =>
    ipBlock === undefined ? [] : [[ipBlock, `${path}.ipBlock`] as const],
  );
}

function blockWarnings({ cidr, except = [] }: IPBlock, path: string): string[] {
  return [
    ...networkWarnings(cidr, `${path}.cidr`),
    ...except.flatMap((network, index) => networkWarnings(network, `${path}.except[${index}]`)),
  ];
}

function leniencyAfter(old: NetworkPolicySpec): Leniency {
  return {
    invalidValues: checkLabelSelector(old.podSelector, "").length > 0,
    networks: blocksOf(old).flatMap(([{ cidr, except = [] }]) => [cidr, ...except]),
  };
}

function checkSpec(spec: NetworkPolicySpec, leniency: Leniency): FieldError[] {
  const { podSelector, ingress = [], egress = [], policyTypes = [] } = spec;
  return [
    ...checkLabelSelector(podSelector, "spec.podSelector", leniency),
    ...ingress.flatMap(({ ports = [], from = [] }, index) => [
      ...checkPorts(ports, `spec.ingress[${index}].ports`),
      ...checkPeers(from, `spec.ingress[${index}].from`, leniency),
    ]),
    ...egress.flatMap(({ ports = [], to = [] }, index) => [
      ...checkPorts(ports, `spec.egress[${index}].ports`),
      ...checkPeers(to, `spec.egress[${index}].to`, leniency),
    ]),
    ...checkTypes(policyTypes),
  ];
}

const types = ["Ingress", "Egress"];

function checkTypes(given: readonly string[]): FieldError[] {
  const path = "spec.policyTypes";
  if (given.length > types.length) {
    return [fieldErrors.invalid(path, given, "may not specify more than two policyTypes")];
  }
  return given.flatMap((type, index) => checkOneOf(type, `${path}[${index}]`, types));
}

function checkPorts(ports: readonly NetworkPolicyPort[], path: string): FieldError[] {
  return ports.flatMap((port, index) => [
    ...checkOneOf(port.protocol, `${path}[${index}].protocol`, ["TCP", "UDP", "SCTP"]),
    ...checkPort(port, `${path}[${index}]`),
  ]);
}

function checkPort({ port, endPort }: NetworkPolicyPort, path: string): FieldError[] {
  const at = `${path}.endPort`;
  if (typeof port === "number")
    return [...invalidEach(`${path}.port`, port, checkPortNumber(port)), ...checkEnd(port, endPort, at)];
  const name = port === undefined ? [] : invalidEach(`${path}.port`, port, checkPortName(port));
  if (endPort === undefined) return name;
  const what = port === undefined ? "not specified" : "non-numeric";
  return [fieldErrors.invalid(at, endPort, `may not be specified when \`port\` is ${what}`), ...name];
}

function checkEnd(port: number, endPort: number | undefined, path: string): FieldError[] {
  if (endPort === undefined) return [];
  return [
    // The error shows `port`, not `endPort`.
    ...(endPort < port ? [fieldErrors.invalid(path, port, "must be greater than or equal to `port`")] : []),
    ...invalidEach(path, endPort, checkPortNumber(endPort)),
  ];
}

function checkPeers(peers: readonly NetworkPolicyPeer[], path: string, leniency: Leniency): FieldError[] {
  return peers.flatMap((peer, index) => checkPeer(peer, `${path}[${index}]`, leniency));
}

function checkPeer(peer: NetworkPolicyPeer, path: string, leniency: Leniency): FieldError[] {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  const count = [podSelector, namespaceSelector, ipBlock].filter((one) => one !== undefined).length;
  const isMixed = count > 1 && ipBlock !== undefined;
  return [
    ...checkLabelSelector(podSelector, `${path}.podSelector`, leniency),
    ...checkLabelSelector(namespaceSelector, `${path}.namespaceSelector`, leniency),
    ...(ipBlock === undefined ? [] : checkBlock(ipBlock, `${path}.ipBlock`, leniency)),
    ...(count === 0 ? [fieldErrors.required(path, "must specify a peer")] : []),
    ...(isMixed ? [fieldErrors.forbidden(path, "may not specify both ipBlock and another peer")] : []),
  ];
}

function checkBlock({ cidr, except = [] }: IPBlock, path: string, { networks }: Leniency): FieldError[] {
  if (cidr === "") return [fieldErrors.required(`${path}.cidr`)];
  const errors = checkNetwork(cidr, `${path}.cidr`, networks);
  const whole = parseNetwork(cidr);
  if (whole === undefined) return errors;
  return [
    ...errors,
    ...except.flatMap((text, index) => {
      const at = `${path}.except[${index}]`;
      const part = parseNetwork(text);
      const isPart = part !== undefined && isInNetwork(networkAddress(part), whole) && whole.prefix < part.prefix;
      return [
        ...checkNetwork(text, at, networks),
        ...(part === undefined || isPart ? [] : [fieldErrors.invalid(at, text, "must be a strict subset of `cidr`")]),
      ];
    }),
  ];
}

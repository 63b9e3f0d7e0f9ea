/** Ingress: HTTP routes from outside the cluster to services. */
import type {
  HTTPIngressPath,
  Ingress as IngressObject,
  IngressBackend,
  IngressRule,
  IngressServiceBackend,
  IngressSpec,
} from "@capstan/kinds/networking.k8s.io/v1";
import {
  checkDns1123Subdomain,
  checkPortName,
  checkPortNumber,
  checkWildcardDns1123Subdomain,
  fieldErrors,
  type FieldError,
} from "@capstan/model";
import { checkObjectMetadata } from "../../metadata/check.ts";
import { checkLabelName, checkSubdomain, invalidEach, isEmpty } from "../meta/checks.ts";
import { bumpGeneration, startGeneration } from "../meta/generation.ts";
import { parseIp } from "../meta/ip-address.ts";
import { checkIp, ipWarnings } from "../meta/ip-checks.ts";
import { dropField, keepField, statusView } from "../meta/status.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { ageOf } from "../table/cells.ts";
import type { Whole } from "../whole.ts";
import { checkReference } from "./reference.ts";
import { givenOrNull } from "../given-empty.ts";

type Ingress = Whole<IngressObject>;

const classAnnotation = "kubernetes.io/ingress.class";
const noIp = "must be a DNS name, not an IP address";

/** Checks that an update skips because the stored object already fails them. */
interface Leniency {
  readonly badSecretNames?: boolean;
  readonly badWildcardRules?: boolean;
}

export const ingress: KindRules<Ingress> = defineRules<Ingress>({
  prepareForCreate(draft) {
    dropField(draft, "status");
    startGeneration(draft);
  },
  prepareForUpdate(draft, old) {
    keepField(draft, old, "status");
    bumpGeneration(draft, old);
  },
  validateCreate: ({ metadata, spec }) => [
    ...checkSpec(spec, {}),
    ...checkClassAnnotation(metadata.annotations?.[classAnnotation], spec.ingressClassName),
  ],
  validateUpdate: (object, old) => [
    ...checkObjectMetadata(object, true, "dns-subdomain"),
    ...checkSpec(object.spec, leniencyAfter(old.spec)),
  ],
  warnings: ({ metadata, spec }, old) =>
    old === undefined && metadata.annotations?.[classAnnotation] !== undefined && spec.ingressClassName === undefined
      ? [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`]
      : [],
  subresources: {
    status: statusView<Ingress>({
      validate: checkStatus,
      warnings: ({ status }) =>
        (status.loadBalancer?.ingress ?? []).flatMap(({ ip = "" }, index) =>
          ipWarnings(ip, `status.loadBalancer.ingress[${index}]`),
        ),
    }),
  },
  table: {
    row: (object, now) => {
      const { metadata, spec } = object;
      const ports = (spec.tls ?? []).length === 0 ? "80" : "80, 443";
      const name = spec.ingressClassName ?? "<none>";
      return {
        cells: [metadata.name, name, hostsCell(spec.rules ?? []), addressCell(object), ports, ageOf(object, now)],
      };
    },
  },
});

function checkClassAnnotation(annotation: string | undefined, name: string | undefined): FieldError[] {
  if (annotation === undefined || name === undefined || annotation === name) return [];
  const why = "must match `ingressClassName` when both are specified";
  return [fieldErrors.invalid(`annotations.${classAnnotation}`, annotation, why)];
}

function leniencyAfter({ tls = [], rules = [] }: IngressSpec): Leniency {
  return {
    badSecretNames: tls.some(
      ({ secretName = "" }) => secretName !== "" && checkDns1123Subdomain(secretName).length > 0,
    ),
    badWildcardRules: rules.some(({ host = "", http }) => host.includes("*") && checkHttp(http, "").length > 0),
  };
}

function checkSpec(spec: IngressSpec, leniency: Leniency): FieldError[] {
  const { rules = [], defaultBackend, tls = [], ingressClassName } = spec;
  const isEmptySpec = rules.length === 0 && defaultBackend === undefined;
  const nothing = "either `defaultBackend` or `rules` must be specified";
  return [
    ...(isEmptySpec ? [fieldErrors.invalid("spec", givenOrNull(spec, "rules"), nothing)] : []),
    ...(defaultBackend === undefined ? [] : checkBackend(defaultBackend, "spec.defaultBackend")),
    ...rules.flatMap((rule, index) => checkRule(rule, `spec.rules[${index}]`, leniency)),
    ...checkTls(tls, "spec.tls", leniency),
    ...(ingressClassName === undefined ? [] : checkSubdomain(ingressClassName, "spec.ingressClassName")),
  ];
}

function checkRule({ host = "", http }: IngressRule, path: string, { badWildcardRules }: Leniency): FieldError[] {
  const at = `${path}.host`;
  const isIp = host !== "" && parseIp(host) !== undefined;
  const isExempt = host.includes("*") && badWildcardRules === true;
  return [
    ...(isIp ? [fieldErrors.invalid(at, host, noIp)] : []),
    ...(host === "" ? [] : checkHost(host, at)),
    ...(isExempt ? [] : checkHttp(http, `${path}.http`)),
  ];
}

function checkHost(host: string, path: string): FieldError[] {
  const check = host.includes("*") ? checkWildcardDns1123Subdomain : checkDns1123Subdomain;
  return invalidEach(path, host, check(host));
}

function checkHttp(http: IngressRule["http"], path: string): FieldError[] {
  if (http === undefined) return [];
  const paths = http.paths ?? [];
  return [
    ...(paths.length === 0 ? [fieldErrors.required(`${path}.paths`)] : []),
    ...paths.flatMap((one, index) => checkPath(one, `${path}.paths[${index}]`)),
  ];
}

const badSequences = ["//", "/./", "/../", "%2f", "%2F"];
const badEnds = ["/..", "/."];

function checkPath({ pathType, path = "", backend }: HTTPIngressPath, at: string): FieldError[] {
  if (pathType === undefined || pathType === null) {
    return [fieldErrors.required(`${at}.pathType`, "pathType must be specified")];
  }
  return [...checkPathText(path, pathType, at), ...checkBackend(backend, `${at}.backend`)];
}

function checkPathText(path: string, type: string, at: string): FieldError[] {
  const refuse = (why: string): FieldError => fieldErrors.invalid(`${at}.path`, path, why);
  const notAbsolute = path.startsWith("/") ? [] : [refuse("must be an absolute path")];
  switch (type) {
    case "Exact":
    case "Prefix":
      return [
        ...notAbsolute,
        ...badSequences.filter((bad) => path.includes(bad)).map((bad) => refuse(`must not contain '${bad}'`)),
        ...badEnds.filter((bad) => path.endsWith(bad)).map((bad) => refuse(`cannot end with '${bad}'`)),
      ];
    case "ImplementationSpecific":
      return path === "" ? [] : notAbsolute;
    default:
      return [fieldErrors.notSupportedName(`${at}.pathType`, type, ["Exact", "ImplementationSpecific", "Prefix"])];
  }
}

function checkBackend({ resource, service }: IngressBackend, path: string): FieldError[] {
  if (resource !== undefined && service !== undefined) {
    return [fieldErrors.invalid(path, "", "cannot set both resource and service backends")];
  }
  if (resource !== undefined) return checkReference(resource, `${path}.resource`);
  if (service !== undefined) return checkService(service, path);
  return [fieldErrors.invalid(path, "", "resource or service backend is required")];
}

function checkService({ name, port = {} }: IngressServiceBackend, path: string): FieldError[] {
  const at = `${path}.service.name`;
  return [...(isEmpty(name) ? [fieldErrors.required(at)] : checkLabelName(name, at)), ...checkServicePort(port, path)];
}

function checkServicePort(
  { name = "", number = 0 }: NonNullable<IngressServiceBackend["port"]>,
  path: string,
): FieldError[] {
  if (name !== "" && number !== 0) return [fieldErrors.invalid(path, "", "cannot set both port name & port number")];
  if (name !== "") return invalidEach(`${path}.service.port.name`, name, checkPortName(name));
  if (number !== 0) return invalidEach(`${path}.service.port.number`, number, checkPortNumber(number));
  return [fieldErrors.required(path, "port name or number is required")];
}

function checkTls(tls: NonNullable<IngressSpec["tls"]>, path: string, { badSecretNames }: Leniency): FieldError[] {
  return tls.flatMap(({ hosts = [], secretName = "" }, index) => [
    ...hosts.flatMap((host, at) => checkHost(host, `${path}[${index}].hosts[${at}]`)),
    ...(secretName === "" || badSecretNames === true ? [] : checkSubdomain(secretName, `${path}[${index}].secretName`)),
  ]);
}

function checkStatus({ status }: Ingress, old: Ingress): FieldError[] {
  const before = (old.status.loadBalancer?.ingress ?? []).map(({ ip = "" }) => ip);
  return (status.loadBalancer?.ingress ?? []).flatMap(({ ip = "", hostname = "" }, index) => {
    const path = `status.loadBalancer.ingress[${index}]`;
    const isIp = hostname !== "" && parseIp(hostname) !== undefined;
    return [
      ...(ip === "" ? [] : checkIp(ip, `${path}.ip`, before)),
      ...(hostname === "" ? [] : checkSubdomain(hostname, `${path}.hostname`)),
      ...(isIp ? [fieldErrors.invalid(`${path}.hostname`, hostname, noIp)] : []),
    ];
  });
}

const shownHosts = 3;

function hostsCell(rules: readonly IngressRule[]): string {
  const hosts: string[] = [];
  let hasMore = false;
  for (const { host = "" } of rules) {
    hasMore ||= hosts.length === shownHosts;
    if (!hasMore && host !== "") hosts.push(host);
  }
  if (hosts.length === 0) return "*";
  return hasMore ? `${hosts.join(",")} + ${rules.length - shownHosts} more...` : hosts.join(",");
}

function addressCell({ status }: Ingress): string {
  const addresses = (status.loadBalancer?.ingress ?? []).map(({ ip = "", hostname = "" }) =>
    ip === "" ? hostname : ip,
  );
  return [...new Set(addresses.filter((address) => address !== ""))].sort().join(",");
}

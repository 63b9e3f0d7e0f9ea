/** CertificateSigningRequest: a client requests a certificate, an approver approves it, a signer issues it. */
import type {
  CertificateSigningRequest as RequestObject,
  CertificateSigningRequestCondition as Condition,
  CertificateSigningRequestStatus,
} from "@capstan/kinds/certificates.k8s.io/v1";
import { cloneJson, fieldErrors, isDeepEqual, type FieldError } from "@capstan/model";
import { findPemBlocks, parseCertificate, parseRequest, PkiError } from "@capstan/pki";
import { firstBadBase64 } from "../../decode/base64.ts";
import { formatAge } from "@capstan/model";
import { checkMetadataUpdate, checkObjectMetadata, checkStandardFinalizers } from "../../metadata/check.ts";
import type { RuleContext } from "../context.ts";
import type { Draft } from "../draft.ts";
import { checkOneOf, isEmpty } from "../meta/checks.ts";
import { keepField } from "../meta/status.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { ageOf, orNone } from "../table/cells.ts";
import type { Whole } from "../whole.ts";
import { requestComplaint } from "./request-complaint.ts";
import { checkSignerName } from "./signer-name.ts";
import { occursBefore } from "../occurs-before.ts";

type Request = Whole<RequestObject>;

/** Where a change comes from: the object or a subresource. Each may change a different part of the status. */
type UpdatedPart = "object" | "status" | "approval";

const legacySigner = "kubernetes.io/legacy-unknown";
const minSeconds = 600;

export const certificateSigningRequest: KindRules<Request> = defineRules<Request>({
  validatesMetadata: true,
  resetFields: ["spec", "status"],
  selectsByNamespace: false,
  fields: { "spec.signerName": ({ spec }) => spec.signerName },
  prepareForCreate(draft, { user }) {
    const { username: _n, uid: _u, groups: _g, extra: _e, ...spec } = draft.spec;
    draft.spec = { ...spec, username: user.name, groups: [...user.groups] };
    if (user.uid !== undefined && user.uid !== "") draft.spec.uid = user.uid;
    if (user.extra !== undefined && Object.keys(user.extra).length > 0) draft.spec.extra = cloneJson(user.extra);
    draft.status = {};
  },
  prepareForUpdate(draft, old) {
    keepField(draft, old, "spec");
    keepField(draft, old, "status");
  },
  validateCreate: (object) => checkRequest(object),
  validateUpdate: (object, old) => checkUpdate(object, old, "object"),
  subresources: {
    status: {
      type: "view",
      resetFields: ["spec", "status.conditions"],
      prepareForUpdate(draft, old, context) {
        keepField(draft, old, "spec");
        for (const type of ["Approved", "Denied"]) keepConditions(draft.status, old.status, type);
        setTimes(draft.status, old.status, context);
      },
      validateUpdate: (object, old) => checkUpdate(object, old, "status"),
    },
    approval: {
      type: "view",
      resetFields: ["spec", "status.certificate"],
      prepareForUpdate(draft, old, context) {
        setTimes(draft.status, old.status, context);
        const { conditions } = draft.status;
        keepField(draft, old, "spec");
        keepField(draft, old, "status");
        if (conditions === undefined) delete draft.status.conditions;
        else draft.status.conditions = conditions;
      },
      validateUpdate: (object, old) => checkUpdate(object, old, "approval"),
    },
  },
  table: {
    row: (object, now) => {
      const { metadata, spec, status } = object;
      const seconds = spec.expirationSeconds;
      return {
        cells: [
          metadata.name,
          ageOf(object, now),
          orNone(spec.signerName),
          spec.username ?? "",
          seconds === undefined ? "<none>" : formatAge(seconds * 1000),
          phaseOf(status),
        ],
      };
    },
  },
});

function phaseOf({ conditions = [], certificate = "" }: CertificateSigningRequestStatus): string {
  const has = (type: string): boolean => conditions.some((condition) => condition.type === type);
  const verdict = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  return [verdict, ...(has("Failed") ? ["Failed"] : []), ...(certificate === "" ? [] : ["Issued"])].join(",");
}

/** Keeps the stored conditions of a type, unless their number changes: then validation reports the addition or removal. */
function keepConditions(
  { conditions }: Draft<CertificateSigningRequestStatus>,
  { conditions: old = [] }: CertificateSigningRequestStatus,
  type: string,
): void {
  const before = old.filter((condition) => condition.type === type);
  const places = (conditions ?? []).flatMap((condition, index) => (condition.type === type ? [index] : []));
  if (places.length !== before.length || conditions === undefined) return;
  for (const [index, condition] of before.entries()) conditions[places[index] ?? 0] = cloneJson(condition);
}

/** Fills in lastUpdateTime and lastTransitionTime. */
function setTimes(
  { conditions = [] }: Draft<CertificateSigningRequestStatus>,
  { conditions: old = [] }: CertificateSigningRequestStatus,
  { now }: RuleContext,
): void {
  for (const condition of conditions) {
    if (isUnset(condition.lastUpdateTime)) condition.lastUpdateTime = now;
    if (!isUnset(condition.lastTransitionTime)) continue;
    const before = old.find(({ type, status }) => type === condition.type && status === condition.status);
    condition.lastTransitionTime = before?.lastTransitionTime ?? now;
  }
}

/** A required time that is not set is null in JSON. */
function isUnset(time: string | undefined): boolean {
  return (time ?? "") === "";
}

const usages = [
  "any",
  "cert sign",
  "client auth",
  "code signing",
  "content commitment",
  "crl sign",
  "data encipherment",
  "decipher only",
  "digital signature",
  "email protection",
  "encipher only",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "key agreement",
  "key encipherment",
  "microsoft sgc",
  "netscape sgc",
  "ocsp signing",
  "s/mime",
  "server auth",
  "signing",
  "timestamping",
];

function checkRequest(object: Request, old?: Request): FieldError[] {
  const { spec } = object;
  const { signerName, expirationSeconds: seconds } = spec;
  const isLegacy = signerName === legacySigner && old?.spec.signerName !== legacySigner;
  const tooShort = "may not specify a duration less than 600 seconds (10 minutes)";
  return [
    ...checkObjectMetadata(object, false, () => []),
    ...checkEncodedRequest(spec.request, "spec.request"),
    ...checkUsages(spec.usages ?? [], old?.spec.usages ?? []),
    ...(isLegacy
      ? [
          fieldErrors.invalid(
            "spec.signerName",
            signerName,
            "the legacy signerName is not allowed via this API version",
          ),
        ]
      : checkSignerName(signerName, "spec.signerName")),
    ...(seconds !== undefined && seconds < minSeconds
      ? [fieldErrors.invalid("spec.expirationSeconds", seconds, tooShort)]
      : []),
    ...checkConditions(object.status.conditions ?? [], old?.status.conditions ?? []),
    ...(old !== undefined && old.status.certificate === object.status.certificate
      ? []
      : checkCertificate(object.status.certificate)),
  ];
}

/** Bytes are base64 in JSON; an absent request is null. */
function checkEncodedRequest(encoded: string, path: string): FieldError[] {
  const problem = encodedRequestProblem(encoded ?? "");
  return problem === undefined ? [] : [fieldErrors.invalid(path, encoded ?? null, problem)];
}

/** Why base64 is not a request in PEM, in the words of Go; `undefined` if it is one. */
export function encodedRequestProblem(encoded: string): string | undefined {
  const pem = Buffer.from(encoded, "base64").toString("latin1");
  const bytes = requestIn(pem);
  if (bytes === undefined) return "PEM block type must be CERTIFICATE REQUEST";
  const complaint = requestComplaint(bytes);
  if (complaint !== undefined) return complaint;
  try {
    parseRequest(pem);
    return undefined;
  } catch (error) {
    if (!(error instanceof PkiError)) throw error;
    return error.message;
  }
}

/** The DER bytes of the request. PEM headers are skipped; a block with invalid base64 is ignored. */
function requestIn(pem: string): Uint8Array | undefined {
  const block = findPemBlocks(pem).find(({ label }) => label === "CERTIFICATE REQUEST");
  const body = block === undefined ? undefined : withoutHeaders(block.body)?.replaceAll(/\s/g, "");
  return body === undefined || firstBadBase64(body) >= 0 ? undefined : Buffer.from(body, "base64");
}

/** The lines after the BEGIN line and after the PEM headers, which contain a colon. */
function withoutHeaders(body: string): string | undefined {
  const [rest = "", ...lines] = body.split("\n");
  if (rest.trim() !== "" || lines.length === 0) return undefined;
  const first = lines.findIndex((line) => line.trim() !== "" && !line.includes(":"));
  return first === -1 ? "" : lines.slice(first).join("\n");
}

function checkUsages(given: readonly string[], old: readonly string[]): FieldError[] {
  const path = "spec.usages";
  const hadUnknown = old.some((usage) => !usages.includes(usage));
  const hadTwice = new Set(old).size < old.length;
  return [
    ...(given.length === 0 ? [fieldErrors.required(path)] : []),
    ...(hadUnknown ? [] : given.flatMap((usage, index) => checkOneOf(usage, `${path}[${index}]`, usages))),
    ...given.flatMap((usage, index) =>
      !hadTwice && occursBefore(given, index) ? [fieldErrors.duplicate(`${path}[${index}]`, usage)] : [],
    ),
  ];
}

const decisions = ["Approved", "Denied", "Failed"];

function checkConditions(conditions: readonly Condition[], old: readonly Condition[]): FieldError[] {
  const path = "status.conditions";
  const types = conditions.map(({ type }) => type);
  const hadTwice = new Set(old.map(({ type }) => type)).size < old.length;
  return conditions.flatMap(({ type, status }, index) => {
    const at = `${path}[${index}]`;
    const allowed = decisions.includes(type) ? ["True"] : ["False", "True", "Unknown"];
    return [
      ...(isEmpty(type) && !old.some((before) => isEmpty(before.type)) ? [fieldErrors.required(`${at}.type`)] : []),
      ...(isEmpty(status) ? [fieldErrors.required(`${at}.status`)] : checkOneOf(status, `${at}.status`, allowed)),
      ...checkExclusive(types.slice(0, index), type, old),
      ...(!hadTwice && occursBefore(types, index) ? [fieldErrors.duplicate(`${at}.type`, type)] : []),
    ];
  });
}

function checkExclusive(before: readonly string[], type: string, old: readonly Condition[]): FieldError[] {
  const hadBoth = ["Approved", "Denied"].every((one) => old.some((condition) => condition.type === one));
  const other = type === "Approved" ? "Denied" : type === "Denied" ? "Approved" : undefined;
  if (hadBoth || other === undefined || !before.includes(other)) return [];
  return [fieldErrors.invalid("status.conditions", type, "Approved and Denied conditions are mutually exclusive")];
}

function checkCertificate(encoded = ""): FieldError[] {
  if (encoded === "") return [];
  const problem = certificateProblem(Buffer.from(encoded, "base64").toString("latin1"));
  return problem === undefined ? [] : [fieldErrors.invalid("status.certificate", "<certificate data>", problem)];
}

function certificateProblem(pem: string): string | undefined {
  const blocks = [...pem.matchAll(/-----BEGIN ([^-]+)-----[^]*?-----END \1-----/g)];
  if (blocks.length === 0) return "must contain at least one CERTIFICATE PEM block";
  for (const [block, type] of blocks) {
    if (type !== "CERTIFICATE") return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`;
    try {
      parseCertificate(block);
    } catch (error) {
      if (error instanceof PkiError) return error.message;
      throw error;
    }
  }
  return undefined;
}

function checkUpdate(object: Request, old: Request, part: UpdatedPart): FieldError[] {
  return [
    ...checkRequest(object, old),
    ...checkNoneRemoved(object, old),
    ...(part === "approval" ? [] : checkNoDecision(object, old)),
    ...checkIssued(object, old, part),
    ...checkMetadataUpdate(object.metadata, old.metadata),
    ...checkStandardFinalizers(object.metadata),
  ];
}

function ofType({ status }: Request, type: string): readonly Condition[] {
  return (status.conditions ?? []).filter((condition) => condition.type === type);
}

function conditionsForbidden(why: string): FieldError {
  return fieldErrors.forbidden("status.conditions", why);
}

function checkNoneRemoved(object: Request, old: Request): FieldError[] {
  return decisions
    .filter((type) => ofType(object, type).length < ofType(old, type).length)
    .map((type) => conditionsForbidden(`updates may not remove a condition of type "${type}"`));
}

function checkNoDecision(object: Request, old: Request): FieldError[] {
  return ["Approved", "Denied"].flatMap((type) => {
    const [now, before] = [ofType(object, type), ofType(old, type)];
    if (now.length > before.length) return [conditionsForbidden(`updates may not add a condition of type "${type}"`)];
    if (now.length < before.length || isDeepEqual(now, before)) return [];
    return [conditionsForbidden(`updates may not modify a condition of type "${type}"`)];
  });
}

function checkIssued({ status }: Request, { status: old }: Request, part: UpdatedPart): FieldError[] {
  if (status.certificate === old.certificate) return [];
  const path = "status.certificate";
  if (part !== "status") return [fieldErrors.forbidden(path, "updates may not set certificate content")];
  if ((old.certificate ?? "") === "") return [];
  return [fieldErrors.forbidden(path, "updates may not modify existing certificate content")];
}

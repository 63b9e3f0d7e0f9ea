/** The context of a request for rules and admission. */
import { formatTime, type KubeObject } from "@capstan/model";
import { annotate, annotateChecked, type AuditTrail } from "../audit/trail.ts";
import type { AdmissionRequest, Operation } from "../admit/admission.ts";
import type { UserInfo } from "../authenticate/user.ts";
import type { RuleContext } from "../builtin/context.ts";
import type { AnyDraft } from "../builtin/draft.ts";
import type { ResourceExchange } from "../exchange.ts";
import type { ServerParts } from "../parts.ts";
import { acceptForm, equivalentForms, presentForm, schemaOfForm } from "./forms.ts";

export interface ContextSource {
  readonly parts: ServerParts;
  readonly user: UserInfo;
  readonly namespace: string;
  readonly pathName?: string;
  readonly version: string;
  readonly dryRun: boolean;
  readonly warnings: Set<string>;
  readonly trail: AuditTrail;
}

export function ruleContext(source: ContextSource): RuleContext {
  const { parts, user, namespace, pathName = "", version, dryRun, warnings, trail } = source;
  return {
    now: formatTime(parts.clock.wall()),
    user,
    namespace,
    pathName,
    version,
    dryRun,
    lookup: parts.lookup,
    access: parts.access,
    nodePorts: parts.nodePorts,
    uid: () => parts.randomness.uuid(),
    random: (limit) => parts.randomness.below(limit),
    warn: (text) => warnings.add(text),
    annotate: (key, value) => annotate(trail, key, value),
  };
}

/** The parts of an admission request. */
export interface AdmissionSource {
  readonly operation: Operation;
  readonly name: string;
  readonly object: AnyDraft | undefined;
  readonly oldObject: KubeObject | undefined;
  readonly options: KubeObject;
  readonly dryRun: boolean;
}

/** The admission request. */
export function admissionRequest(exchange: ResourceExchange, source: AdmissionSource): AdmissionRequest {
  const { resource, subresource, info, user, warnings, trail } = exchange;
  const kind = subresource?.kind ?? { group: resource.group, version: resource.version, kind: resource.kind };
  return {
    operation: source.operation,
    kind,
    resource: { group: resource.group, version: resource.version, resource: resource.resource },
    subresource: info.subresource,
    namespace: namespaceOf(exchange, source.name),
    name: source.name,
    object: source.object,
    oldObject: source.oldObject,
    options: optionsFor(source),
    dryRun: source.dryRun,
    user,
    warn: (text) => warnings.add(text),
    annotate: (key, value) => annotateChecked(trail, key, value),
    equivalents: () => equivalentForms(exchange),
    present: (object, as) => presentForm(exchange, object, as),
    accept: (draft, from) => acceptForm(exchange, draft, from),
    schemaOf: (form) => schemaOfForm(exchange, form),
    rounds: { isSecondWanted: false, isSecond: false },
  };
}

/** A patch has the options of its operation: an update or a create. */
function optionsFor({ operation, options }: AdmissionSource): KubeObject {
  if (options?.kind !== "PatchOptions") return options;
  const { force: _force, ...rest } = options as KubeObject & { readonly force?: boolean };
  return { ...rest, kind: operation === "CREATE" ? "CreateOptions" : "UpdateOptions" };
}

/** A request for a namespace has that namespace, also the one that creates it. */
function namespaceOf({ resource, info }: ResourceExchange, name: string): string {
  return resource.storage === "namespaces" && info.namespace === "" ? name : info.namespace;
}

/** patch: applies a patch of one of four types. */
import { apiErrors } from "@capstan/model";
import type { PatchType } from "@capstan/patch";
import type { Answer } from "../answer.ts";
import type { AnyDraft, JsonValue } from "../builtin/draft.ts";
import { headerOf } from "../call.ts";
import { StrictProblems } from "../decode/strict.ts";
import { respondObject } from "../encode/respond.ts";
import type { ResourceExchange } from "../exchange.ts";
import { ensureNamespace } from "../metadata/system-fields.ts";
import { applied } from "./apply-configuration.ts";
import { managerOf, parseWriteOptions, type WriteOptions } from "./options.ts";
import { formOf, type PatchForm } from "./patch-form.ts";
import { readPatch, type PatchRequest } from "./patch-text.ts";
import { applyParsed, readPatched } from "./patched-document.ts";
import { patchedObject, type PatchedKind } from "./patched-kind.ts";
import { unparsableVersion, write, type Change } from "./write.ts";

/** JSON and merge patches need no type with merge strategies. */
const noType: PatchType = { kind: "map" };

/** Serves a PATCH of an object or of a view of it. */
export async function patch(exchange: ResourceExchange): Promise<Answer> {
  const { form, options, change } = await readChange(exchange, patchedObject(exchange));
  const { object, created } = await write(exchange, {
    name: exchange.info.name,
    options,
    createsMissing: form === "apply",
    uid: "",
    change,
  });
  return respondObject(exchange, created ? 201 : 200, object);
}

/** A parsed patch. */
export interface ReadChange {
  readonly form: PatchForm;
  readonly options: WriteOptions;
  readonly change: Change;
}

/** Parses the patch of a request into a change of an object. */
export async function readChange(exchange: ResourceExchange, kind: PatchedKind): Promise<ReadChange> {
  const form = formOf(exchange);
  const body = await exchange.call.body();
  const options = parseWriteOptions(exchange.query, "PatchOptions", form === "apply");
  const text = Buffer.from(body).toString("utf8");
  const change =
    form === "apply"
      ? applied(exchange, kind, { text, options })
      : patched(exchange, kind, { kind: form, text, options, isTyped: !kind.isCustom });
  return { form, options, change: checked(exchange, change) };
}

/** The patched object must still have the uid, namespace and name of the request. */
function checked({ resource, info }: ResourceExchange, change: Change): Change {
  return async (live) => {
    const draft = await change(live);
    if (live === undefined && (draft.metadata.uid ?? "") !== "") {
      const why = `uid mismatch: the provided object specified uid ${draft.metadata.uid}, and no existing object was found`;
      throw apiErrors.conflict(resource.qualified, info.name, why);
    }
    if (live === undefined) dropVersion(draft);
    ensureNamespace(draft, resource.namespaced ? info.namespace : "");
    checkName(draft.metadata.name ?? "", info.name);
    return draft;
  };
}

/** A new object has no resourceVersion, but an invalid one in the body is rejected. */
function dropVersion({ metadata }: AnyDraft): void {
  const { resourceVersion = "" } = metadata;
  if (!/^[0-9]*$/.test(resourceVersion)) throw unparsableVersion(resourceVersion);
  delete metadata.resourceVersion;
}

function checkName(name: string, urlName: string): void {
  if (name === urlName) return;
  throw apiErrors.badRequest(
    name === ""
      ? `the name of the object (${urlName} based on URL) was undeterminable: name must be provided`
      : `the name of the object (${name}) does not match the name on the URL (${urlName})`,
  );
}

/** The three patch types that change the object as a document. */
function patched(exchange: ResourceExchange, kind: PatchedKind, request: PatchRequest): Change {
  const { resource, call, context, info } = exchange;
  const problems = request.options.fieldValidation === "Ignore" ? undefined : new StrictProblems();
  const user = managerOf(request.options.fieldManager, headerOf(call, "user-agent") ?? "");
  let known: JsonValue | undefined;
  return (live) => {
    if (live === undefined) throw apiErrors.notFound(resource.qualified, info.name);
    const parsed = (known ??= readPatch(request, problems));
    // Custom kinds do not support strategic patches and have no such types.
    const type = request.kind === "strategic" ? kind.patchType() : noType;
    const document = applyParsed(type, request.kind, { live, parsed });
    const draft = readPatched(exchange, document, { kind, request, parsed, live, problems });
    return kind.fieldManager?.update(live, draft, { manager: user, time: context.now }) ?? draft;
  };
}

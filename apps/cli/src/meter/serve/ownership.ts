/** Decides whether records that a caller posts are the caller's own. */
import { type Input, type Store, type Tenancy, findRecords, parseInstant } from "@capstan/metering";
import { type Scope, covers } from "./caller.ts";
import { HttpError } from "./http-error.ts";

/** What deciding needs. */
export interface Ownership {
  readonly scope: Scope;
  readonly tenancy: Tenancy;
  readonly store: Store;
  readonly source: string;
}

interface Named {
  readonly corrects?: unknown;
  readonly source?: unknown;
  readonly specversion?: unknown;
  readonly subject?: unknown;
  readonly tenant?: unknown;
  readonly namespace?: unknown;
  readonly cluster?: unknown;
  readonly at?: unknown;
  readonly start?: unknown;
  readonly end?: unknown;
  readonly time?: unknown;
  readonly data?: unknown;
}

/** Refuses the whole body if one record is of another tenant, or corrects a record of another tenant. */
export async function needOwn(inputs: readonly Input[], { scope, tenancy, store, source }: Ownership): Promise<void> {
  const corrected: Corrected[] = [];
  for (const input of inputs) {
    if (!("value" in input) || !isNamed(input.value)) continue;
    const record = readNamed(input.value, source);
    if (record.corrects !== "") corrected.push({ source: record.source, id: record.corrects });
    else needOwner(record, { input, scope, tenancy });
  }
  for (const { tenant, namespace, cluster, start } of await findRecords(store, corrected)) {
    const owner = tenant === "" ? tenancy.tenantAt({ namespace, cluster }, start) : tenant;
    if (!covers(scope, owner)) throw new HttpError(403, "a correction is of a record that is not yours");
  }
}

interface Corrected {
  readonly source: string;
  readonly id: string;
}

function isNamed(value: unknown): value is Named {
  return typeof value === "object" && value !== null;
}

/** What says whose a record is, read as the import reads it. */
interface Read {
  readonly fields: Named;
  readonly tenant: string;
  readonly corrects: string;
  readonly source: string;
}

function readNamed(record: Named, source: string): Read {
  if (record.specversion === undefined)
    return {
      fields: record,
      tenant: textOf(record.tenant),
      corrects: textOf(record.corrects),
      source: textOf(record.source) || source,
    };
  const data: Named = isNamed(record.data) ? record.data : {};
  return {
    fields: { ...data, at: record.time },
    tenant: textOf(record.subject ?? data.tenant),
    corrects: textOf(data.corrects),
    source: textOf(record.source),
  };
}

interface Owned extends Pick<Ownership, "scope" | "tenancy"> {
  readonly input: Input;
}

function needOwner({ tenant, fields }: Read, { input, scope, tenancy }: Owned): void {
  const tenants = tenant === "" ? ownersOf(fields, tenancy) : [tenant];
  if (tenants.every((each) => covers(scope, each))) return;
  throw new HttpError(403, `${input.where}: a record is of a tenant that is not yours; nothing was stored`);
}

/** All tenants that the namespace of a record belongs to while the record lasts. */
function ownersOf(fields: Named, tenancy: Tenancy): string[] {
  const [namespace, cluster] = [textOf(fields.namespace), textOf(fields.cluster)];
  const start = instantOf(fields.at) ?? instantOf(fields.start) ?? 0;
  const end = instantOf(fields.end) ?? start;
  const instants = [start, ...tenancy.changes({ namespace, cluster, start, end })];
  return instants.map((instant) => tenancy.tenantAt({ namespace, cluster }, instant));
}

function instantOf(value: unknown): number | undefined {
  return typeof value === "string" ? parseInstant(value) : undefined;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

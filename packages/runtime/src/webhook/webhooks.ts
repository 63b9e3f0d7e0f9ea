/** An operator's webhooks from certificate to registration: opened, kept up to date, closed. */
import { parseCertificate } from "@capstan/pki";
import type { KeyedCertificate } from "@capstan/pki";
import type { CustomResourceDefinition as Crd, Resource } from "@capstan/schema";
import type { Api } from "../api.ts";
import type { Clock, Timer } from "../clock.ts";
import { messageOf } from "../failure.ts";
import type { Log } from "../log.ts";
import type { Registry } from "../manager/registry.ts";
import { announce, managerOf, trustedNow } from "./announce.ts";
import { bundleOf } from "./certificates.ts";
import type { Lifetimes, Trust } from "./certificates.ts";
import { webhookHandler } from "./handler.ts";
import type { WebhookHandler } from "./handler.ts";
import { webhookMeter } from "./meter.ts";
import type { WebhookMeter } from "./meter.ts";
import { checkPaths, webhookPaths } from "./paths.ts";
import { conversionOf, conversionRegistrationsOf, registrationsOf, servingNames } from "./registration.ts";
import type { Reach, Registration, RegistrationOptions } from "./registration.ts";
import { retireHooks } from "./retire.ts";
import { keepTrust } from "./secret.ts";

/** A place where the webhooks can be called. */
export interface OpenDoor extends AsyncDisposable {
  /** How the API server gets there. */
  readonly reach: Reach;
  /** Serves with this certificate from now on; connections that are open stay. */
  use(certificate: KeyedCertificate): void;
}

/** The webhooks of a program, whoever keeps their certificates. */
export interface OperatorWebhooks extends AsyncDisposable {
  /** A CRD with what only this run knows. */
  completeCrd(crd: Crd, resource: Resource): Crd;
  /** Tells the cluster about the webhooks, if that is this program's business. */
  register(): Promise<void>;
  /** Takes back what nobody could answer for when the program is gone. */
  leave(): Promise<void>;
}

/** Opens a place where a handler can be called. */
export type Door = (handler: WebhookHandler) => Promise<OpenDoor>;

/** What webhooks are started with. */
export interface WebhookOptions extends Pick<
  RegistrationOptions,
  "namespaces" | "failurePolicy" | "timeoutSeconds" | "paths"
> {
  readonly resources: readonly Resource[];
  readonly api: Api;
  readonly clock: Clock;
  readonly log: Log;
  readonly registry: Registry;
  readonly door: Door;
  /** The operator's name, of which those of its Secret and of its field manager are made. */
  readonly name: string;
  /** The operator's version: configurations that a later one has applied are left as they are. */
  readonly version?: string | undefined;
  /** The operator's own namespace, where the Secret is. */
  readonly namespace: string;
  readonly lifetimes?: Lifetimes;
}

/** How often the certificates and registrations are looked at. Far less than an overlap, so that every replica follows in time. */
const LOOK = 5 * 60_000;
const LOOK_AFTER_FAILURE = 30_000;

/** Opens the door and makes or finds the certificates. Nothing is registered yet: the CRDs may still be missing. */
export async function openWebhooks(options: WebhookOptions): Promise<Webhooks> {
  const { resources, clock, log, registry, paths } = options;
  checkPaths(resources, paths ?? {});
  const meter = webhookMeter(registry, webhookPaths(resources, paths));
  const door = await options.door(webhookHandler({ resources, clock, log, meter, paths }));
  try {
    const trust = await keep(options, door.reach, { trusted: await trustedAmong(options, door.reach) });
    return new Webhooks(options, { door, meter, trust });
  } catch (error) {
    await door[Symbol.asyncDispose]();
    throw error;
  }
}

/** What is known of earlier times: what this replica serves by, or whom the cluster trusts when it starts. */
type Before = { readonly known: Trust } | { readonly trusted: string | undefined };

function keep(options: WebhookOptions, reach: Reach, before: Before): Promise<Trust> {
  const { api, clock, name, namespace, lifetimes } = options;
  const [known, trusted] = "known" in before ? [before.known] : [undefined, before.trusted];
  return keepTrust(
    { api, namespace, name: `${name}-webhook-certificates`, manager: managerOf(name) },
    { now: new Date(clock.wall()), names: servingNames(reach), trusted, ...(lifetimes ? { lifetimes } : {}) },
    known,
  );
}

/** Whom the cluster trusts by the first registration that it has of ours. */
async function trustedAmong({ api, resources, namespace }: WebhookOptions, reach: Reach): Promise<string | undefined> {
  const registration = { reach, bundle: "", namespace };
  for (const resource of resources) {
    for (const one of registeredOf(resource, registration)) {
      const trusted = await trustedNow(api, one);
      if (trusted !== undefined) return trusted;
    }
  }
  return undefined;
}

/** All that the cluster is told about a resource. */
function registeredOf(resource: Resource, options: RegistrationOptions): readonly Registration[] {
  return [...conversionRegistrationsOf(resource, options), ...registrationsOf(resource, options)];
}

interface Opened {
  readonly door: OpenDoor;
  readonly meter: WebhookMeter;
  readonly trust: Trust;
}

/** Webhooks that are open. */
export class Webhooks implements OperatorWebhooks {
  readonly #options: WebhookOptions;
  readonly #door: OpenDoor;
  readonly #meter: WebhookMeter;
  #trust: Trust;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(options: WebhookOptions, { door, meter, trust }: Opened) {
    this.#options = options;
    this.#door = door;
    this.#meter = meter;
    this.#trust = trust;
    this.#serve(trust);
  }

  get reach(): Reach {
    return this.#door.reach;
  }

  /** A CRD with its conversion, so that no object is ever stored without it. */
  completeCrd(crd: Crd, resource: Resource): Crd {
    const conversion = conversionOf(resource, this.#registration);
    return conversion === undefined ? crd : { ...crd, spec: { ...crd.spec, conversion } };
  }

  /** Tells the cluster about the webhooks, and goes on looking after them. */
  async register(): Promise<void> {
    await this.#announce();
    this.#lookIn(LOOK);
  }

  /** Brings certificates and registrations up to date. An authority is told before anything is served under it, if it can be told. */
  async check(): Promise<void> {
    this.#trust = await keep(this.#options, this.#door.reach, { known: this.#trust });
    try {
      await this.#announce();
    } finally {
      this.#serve(this.#trust);
    }
  }

  /** Nobody can reach a program outside the cluster when it is gone: writes must not wait for it. */
  async leave(): Promise<void> {
    if (this.reach.by === "url") await this.unregister();
  }

  /** Takes the configurations away. */
  async unregister(): Promise<void> {
    const { api, resources } = this.#options;
    for (const { kind, object } of resources.flatMap((one) => registrationsOf(one, this.#registration))) {
      await api.delete(kind, { namespace: "", name: object.metadata.name ?? "" }, {});
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#door[Symbol.asyncDispose]();
  }

  get #registration(): RegistrationOptions {
    const { namespace, namespaces, failurePolicy, timeoutSeconds, paths } = this.#options;
    const bundle = bundleOf(this.#trust);
    return { reach: this.#door.reach, bundle, namespace, namespaces, failurePolicy, timeoutSeconds, paths };
  }

  #serve({ serving }: Trust): void {
    this.#door.use(serving);
    this.#meter.certificateEnds(parseCertificate(serving.certificate).notAfter.getTime());
  }

  async #announce(): Promise<void> {
    const { api, resources, name } = this.#options;
    const manager = managerOf(name);
    // Who works on an operator outside of the cluster wants its own rules, whatever its version.
    const version = this.reach.by === "url" ? undefined : this.#options.version;
    const registration = this.#registration;
    for (const resource of resources) {
      for (const one of registeredOf(resource, registration)) await announce({ api, manager, version }, one);
    }
    await retireHooks({ api, manager, version }, resources);
  }

  #lookIn(delay: number): void {
    if (this.#isClosed) return;
    this.#timer = this.#options.clock.later(delay, () => void this.#look());
  }

  async #look(): Promise<void> {
    try {
      await this.check();
      this.#lookIn(LOOK);
    } catch (error) {
      this.#options.log.warn(`could not look after the webhooks: ${messageOf(error)}`, { error });
      this.#lookIn(LOOK_AFTER_FAILURE);
    }
  }
}

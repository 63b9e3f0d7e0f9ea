/** Webhooks with certificates in a folder, for providers that also register them: OLM, or cert-manager. */
import { createPublicKey } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseCertificate, publicKeyPem } from "@capstan/pki";
import type { KeyedCertificate } from "@capstan/pki";
import type { Timer } from "../clock.ts";
import { RuntimeError } from "../errors.ts";
import { messageOf } from "../failure.ts";
import { webhookHandler } from "./handler.ts";
import { webhookMeter } from "./meter.ts";
import type { WebhookMeter } from "./meter.ts";
import { checkPaths, webhookPaths } from "./paths.ts";
import type { Endpoint, OperatorWebhooks, WebhookOptions } from "./webhooks.ts";

export interface FolderOptions extends Pick<
  WebhookOptions,
  "resources" | "clock" | "log" | "registry" | "endpoint" | "paths"
> {
  /** Holds `tls.crt` and `tls.key`, or `apiserver.crt` and `apiserver.key`. */
  readonly folder: string;
}

/** The polling interval in milliseconds: kubelets replace files without notice, and file system events get lost. */
const LOOK = 10_000;

/** Starts the server with the current certificate of the folder. */
export async function openFolderWebhooks(options: FolderOptions): Promise<FolderWebhooks> {
  const { resources, clock, log, registry, folder, paths } = options;
  checkPaths(resources, paths ?? {});
  const first = await readPair(folder);
  const meter = webhookMeter(registry, webhookPaths(resources, paths));
  const endpoint = await options.endpoint(webhookHandler({ resources, clock, log, meter, paths }));
  return new FolderWebhooks(options, { endpoint, meter, first });
}

interface Opened {
  readonly endpoint: Endpoint;
  readonly meter: WebhookMeter;
  readonly first: KeyedCertificate;
}

/** Webhooks that serve the certificate of a folder and register nothing. */
export class FolderWebhooks implements OperatorWebhooks {
  readonly #options: FolderOptions;
  readonly #endpoint: Endpoint;
  readonly #meter: WebhookMeter;
  #served: KeyedCertificate;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(options: FolderOptions, { endpoint, meter, first }: Opened) {
    this.#options = options;
    this.#endpoint = endpoint;
    this.#meter = meter;
    this.#served = first;
    this.#serve(first);
    this.#lookLater();
  }

  /** The provider that registers the webhooks also registers the conversions. */
  completeCrd<T>(crd: T): T {
    return crd;
  }

  /** Does nothing: the provider registers. */
  async register(): Promise<void> {}

  /** Does nothing: the provider unregisters. */
  async leave(): Promise<void> {}

  /** Serves the current certificate of the folder. A pair of which only one file was replaced yet is skipped until the next poll. */
  async check(): Promise<void> {
    const found = await readPair(this.#options.folder);
    const { certificate, privateKey } = this.#served;
    if (this.#isClosed || (found.certificate === certificate && found.privateKey === privateKey)) return;
    this.#serve(found);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#endpoint[Symbol.asyncDispose]();
  }

  #serve(pair: KeyedCertificate): void {
    this.#endpoint.use(pair);
    this.#served = pair;
    this.#meter.certificateEnds(parseCertificate(pair.certificate).notAfter.getTime());
  }

  #lookLater(): void {
    if (!this.#isClosed) this.#timer = this.#options.clock.later(LOOK, () => void this.#look());
  }

  async #look(): Promise<void> {
    try {
      await this.check();
    } catch (error) {
      this.#options.log.warn(`the certificate of the webhooks stays as it was: ${messageOf(error)}`, { error });
    }
    this.#lookLater();
  }
}

/** The file names of kubernetes.io/tls Secrets, then those of the folder that OLM mounts for API services. */
const names = ["tls", "apiserver"];

async function readPair(folder: string): Promise<KeyedCertificate> {
  for (const name of names) {
    const [certificate, privateKey] = await Promise.all([
      readIfThere(join(folder, `${name}.crt`)),
      readIfThere(join(folder, `${name}.key`)),
    ]);
    if (certificate !== undefined && privateKey !== undefined) return checked({ certificate, privateKey }, folder);
  }
  throw new RuntimeError(
    "BadSetting",
    `Cannot serve webhooks with the certificate in ${folder}: there is no tls.crt with its tls.key.`,
  );
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function checked(pair: KeyedCertificate, folder: string): KeyedCertificate {
  if (belongTogether(pair)) return pair;
  throw new RuntimeError(
    "BadSetting",
    `Cannot serve webhooks with the certificate in ${folder}: it does not belong to the key beside it.`,
  );
}

/** Whether a certificate can be parsed and matches this key. */
function belongTogether({ certificate, privateKey }: KeyedCertificate): boolean {
  try {
    return createPublicKey(publicKeyPem(privateKey)).equals(parseCertificate(certificate).publicKey);
  } catch {
    return false;
  }
}

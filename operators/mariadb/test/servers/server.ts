/** Real MariaDB servers of each release without a cluster: the programs of the test images, run as processes on this machine. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { buildTestImages } from "@capstan/kubernetes";
import { createConnection as createClient } from "mysql2/promise";
import type { Connection } from "mysql2/promise";
import { compressionOf, loadArchive, openStore, platformOf, unpackLayer } from "@capstan/oci";
import { Sql } from "../../src/sql.ts";

/** The limit of any wait: generous, because machines are busy. */
const PATIENCE_MS = 120_000;

/** The files of one release. */
export class Release {
  readonly folder: string;
  readonly #root: string;
  #servers = 0;

  private constructor(folder: string) {
    this.folder = folder;
    this.#root = join(folder, "root");
  }

  /** `mariadb-10.11` or `mariadb-11.8`. */
  static async unpack(test: TestContext, image: string): Promise<Release> {
    const folder = await mkdtemp(join(tmpdir(), "mariadb-"));
    test.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
    const store = await openStore(join(folder, "images"));
    const [built] = await buildTestImages({ only: [image] });
    if (built !== undefined) await loadArchive(built.archive, store);
    const [loaded] = await store.list();
    if (loaded === undefined) throw new Error(`${image} has no content`);
    const { manifest } = await store.image(loaded.descriptor, platformOf(process));
    for (const layer of manifest.layers) {
      const options = { owners: "mine", whiteouts: "remove" } as const;
      await unpackLayer(store.read(layer.digest), compressionOf(layer.mediaType), join(folder, "root"), options);
    }
    await rm(join(folder, "images"), { recursive: true });
    return new Release(folder);
  }

  /** Runs a program of the release with the libraries of the release. */
  run(program: string, args: readonly string[], stdin: "pipe" | "ignore" = "ignore"): ChildProcess {
    const libraries = ["usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu"]
      .map((path) => join(this.#root, path))
      .join(":");
    const loader = join(this.#root, "lib64/ld-linux-x86-64.so.2");
    const child = spawn(loader, ["--library-path", libraries, join(this.#root, program), ...args], {
      stdio: [stdin, "pipe", "pipe"],
    });
    const log = createWriteStream(join(this.folder, "log"), { flags: "a" });
    child.stdout?.pipe(log, { end: false });
    child.stderr?.pipe(log, { end: false });
    return child;
  }

  /** Starts a server with new data and accounts with the password `first`. */
  async start(test: TestContext): Promise<RealServer> {
    const id = ++this.#servers;
    const data = join(this.folder, `data-${id}`);
    await this.#create(data);
    const socket = join(this.folder, `s${id}`);
    const flags = {
      datadir: data,
      socket,
      "server-id": String(id),
      "skip-networking": "1",
      "log-bin": "bin",
      "relay-log": "relay",
      "gtid-strict-mode": "1",
      "log-slave-updates": "1",
      "skip-name-resolve": "1",
      "innodb-buffer-pool-size": "16M",
      "plugin-dir": join(this.#root, "usr/lib/mysql/plugin"),
      "lc-messages-dir": this.#share(),
    };
    const child = this.run("usr/sbin/mariadbd", ["--no-defaults", "--user=root", ...toFlags(flags)]);
    test.after(async () => {
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await gone;
    });
    const server = new RealServer(socket, () => child.exitCode);
    await server.ready().catch(async (error: unknown) => {
      throw new Error(await readFile(join(this.folder, "log"), "utf8"), { cause: error });
    });
    return server;
  }

  /** Texts and scripts: the folder has another name in older releases. */
  #share(): string {
    const found = ["mariadb", "mysql"]
      .map((name) => join(this.#root, "usr/share", name))
      .find((path) => existsSync(path));
    if (found === undefined) throw new Error("the image has no scripts");
    return found;
  }

  async #create(data: string): Promise<void> {
    const scripts = this.#share();
    await mkdir(data);
    const names = await readdir(scripts);
    const parts = ["system_tables", "performance_tables", "system_tables_data"].map((part) => {
      const name = names.find((one) => new RegExp(`^(mysql|mariadb)_${part}\\.sql$`, "u").test(one));
      if (name === undefined) throw new Error(`the image has no script for ${part}`);
      return readFile(join(scripts, name), "utf8");
    });
    const accounts = ["operator", "replication"].flatMap((name) => [
      `CREATE USER capstan_${name}@'%' IDENTIFIED BY 'first';`,
      `GRANT ALL ON *.* TO capstan_${name}@'%' WITH GRANT OPTION;`,
    ]);
    const flags = {
      datadir: data,
      "innodb-log-file-size": "4M",
      "plugin-dir": join(this.#root, "usr/lib/mysql/plugin"),
      "lc-messages-dir": scripts,
    };
    const child = this.run(
      "usr/sbin/mariadbd",
      ["--no-defaults", "--bootstrap", "--user=root", ...toFlags(flags)],
      "pipe",
    );
    const lines = [
      "CREATE DATABASE mysql;",
      "USE mysql;",
      "SET @auth_root_socket=NULL;",
      ...(await Promise.all(parts)),
      "FLUSH PRIVILEGES;",
      ...accounts,
    ];
    child.stdin?.end(`${lines.join("\n")}\n`);
    const [code] = await once(child, "exit");
    if (code !== 0) throw new Error(`the data cannot be created: ${await readFile(join(this.folder, "log"), "utf8")}`);
  }
}

function toFlags(flags: { readonly [name: string]: string }): readonly string[] {
  return Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
}

/** A running server; it listens on a socket in the file system. */
export class RealServer {
  readonly #socket: string;
  readonly #exitCode: () => number | null;

  constructor(socket: string, exitCode: () => number | null) {
    this.#socket = socket;
    this.#exitCode = exitCode;
  }

  async ready(): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        await using sql = await this.operator("first");
        await sql.query("SELECT 1");
        return;
      } catch (error) {
        if (this.#exitCode() !== null || performance.now() > end) throw error;
        await delay(50);
      }
    }
  }

  /** A connection with the account of the operator. */
  async operator(password: string): Promise<Sql> {
    const dial = async () => createConnection({ path: this.#socket });
    return await Sql.connect({ host: "localhost", address: "", port: 0, password, timeoutMs: PATIENCE_MS, dial });
  }

  /** A connection of another account; the caller ends it. */
  async connect(user: string, password: string): Promise<Connection> {
    return await createClient({ socketPath: this.#socket, user, password, connectTimeout: PATIENCE_MS });
  }
}

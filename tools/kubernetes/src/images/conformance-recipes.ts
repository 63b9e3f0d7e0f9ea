/** What the pods of the official tests find in their images; each is made from what was built here and from Debian packages. */

import { appendFile, chmod, readFile, rm, symlink } from "node:fs/promises";
import { join } from "node:path";

import {
  agnhostProgram,
  etcdProgram,
  kubernetesModule,
  privilegesProgram,
  sampleApiserverProgram,
} from "../go-module.ts";
import type { GoModule, Program } from "../go-module.ts";
import { DEFAULT_RELEASE } from "../releases.ts";
import type { ImageConfig } from "./oci-archive.ts";
import { addFile, addFolder, addPackages, addProgram, addShell, makeRoot } from "./root-file-system.ts";

/** Sources of programs and files that no package has; each is built or fetched on demand. */
export interface Sources {
  program(program: Program): Promise<string>;
  own(name: "init" | "shell"): Promise<string>;
  folder(module: GoModule): Promise<string>;
}

/** An image by the name that it has in its registry, whatever the tag. */
export interface ConformanceRecipe {
  readonly name: string;
  readonly config: ImageConfig;
  /** The tag is the program version that the tests expect. */
  fill(root: string, sources: Sources, tag: string): Promise<void>;
}

/** Tests look names up, open connections and look at them with these; zlib1g and bind9-libs are libraries by another name. */
const TOOLS = [
  "bash",
  "bind9-dnsutils",
  "bind9-host",
  "bind9-libs",
  "curl",
  "iproute2",
  "libc-bin",
  "netcat-openbsd",
  "util-linux",
  "zlib1g",
];

const kubernetes = DEFAULT_RELEASE.kubernetes;

/** All images that the tests of our lists ask for. */
export const CONFORMANCE_RECIPES: readonly ConformanceRecipe[] = [
  {
    name: "pause",
    config: { Entrypoint: ["/pause"], User: "65535:65535" },
    fill: async (root, sources) => addProgram(root, "pause", await sources.own("init")),
  },
  { name: "busybox", config: { Cmd: ["sh"] }, fill: fillBusybox },
  { name: "nonroot", config: { Cmd: ["sh"], User: "1234" }, fill: fillBusybox },
  { name: "nonewprivs", config: { Cmd: ["nnp"] }, fill: fillPrivileges },
  { name: "glibc-dns-testing", config: { Cmd: ["bash"] }, fill: fillTools },
  { name: "ipc-utils", config: { Cmd: ["sh"] }, fill: fillTools },
  { name: "agnhost", config: { Entrypoint: ["/agnhost"], Cmd: ["pause"] }, fill: fillAgnhost },
  pictureRecipe("nautilus"),
  pictureRecipe("kitten"),
  {
    name: "nginx",
    config: { Cmd: ["nginx", "-g", "daemon off;"], ExposedPorts: { "80/tcp": {} }, StopSignal: "SIGQUIT" },
    fill: fillNginx,
  },
  { name: "etcd", config: { Entrypoint: ["/usr/local/bin/etcd"] }, fill: fillEtcd },
  { name: "sample-apiserver", config: { Entrypoint: ["/sample-apiserver"] }, fill: fillSampleApiserver },
];

/** Variables may be called data-1, which a shell that hands its environment on must not lose. */
async function fillBusybox(root: string, sources: Sources): Promise<void> {
  await makeRoot(root);
  await addPackages(root, ["bash"]);
  await addShell(root);
  await rm(join(root, "usr/bin/sh"));
  await addProgram(root, "usr/bin/sh", await sources.own("shell"));
}

/** The program runs as its owner unless no-new-privileges is set. */
async function fillPrivileges(root: string, sources: Sources): Promise<void> {
  await fillBusybox(root, sources);
  await addProgram(root, "usr/local/bin/nnp", await sources.program(privilegesProgram(kubernetes)));
  await chmod(join(root, "usr/local/bin/nnp"), 0o6755);
}

async function fillTools(root: string): Promise<void> {
  await makeRoot(root);
  await addPackages(root, TOOLS);
  // What the installation of a package would have linked.
  await symlink("nc.openbsd", join(root, "usr/bin/nc"));
  await symlink("bash", join(root, "usr/bin/sh"));
  await addShell(root);
}

/** With the certificate that it serves, and with a user and a group that tests know by their numbers. */
async function fillAgnhost(root: string, sources: Sources): Promise<void> {
  await fillTools(root);
  await addProgram(root, "agnhost", await sources.program(agnhostProgram(kubernetes)));
  await symlink("agnhost", join(root, "agnhost-2"));
  await addFolder(root, "uploads");
  for (const file of ["localhost.crt", "localhost.key"]) await addSource(root, sources, `agnhost/porter/${file}`);
  await appendFile(join(root, "etc/passwd"), "user-defined-in-image:x:1000:1000::/home:/bin/sh\n");
  const groups = "user-defined-in-image:x:1000:\ngroup-defined-in-image:x:50000:user-defined-in-image\n";
  await appendFile(join(root, "etc/group"), groups);
}

/** Serves a picture and a file that names it. */
function pictureRecipe(name: string): ConformanceRecipe {
  const fill = async (root: string, sources: Sources): Promise<void> => {
    await fillAgnhost(root, sources);
    for (const file of ["data.json", `${name}.jpg`]) await addSource(root, sources, `${name}/html/${file}`);
  };
  return { name, config: { Entrypoint: ["/agnhost"], Cmd: ["test-webserver"] }, fill };
}

/** A file of an official image, which lies at the root of that image. */
async function addSource(root: string, sources: Sources, path: string): Promise<void> {
  const folder = await sources.folder(kubernetesModule(kubernetes));
  const content = await readFile(join(folder, "test/images", path));
  await addFile(root, path.slice(path.lastIndexOf("/") + 1), content);
}

/** Without Debian's own pages and settings, which want a user, folders for logs and IPv6. */
async function fillNginx(root: string): Promise<void> {
  await makeRoot(root);
  await addPackages(root, ["nginx", "nginx-common", "zlib1g"]);
  await addShell(root);
  for (const folder of ["var/lib/nginx", "var/log/nginx"]) await addFolder(root, folder);
  await addFile(root, "usr/share/nginx/html/index.html", "<h1>Welcome to nginx!</h1>\n");
  await addFile(root, "etc/nginx/nginx.conf", NGINX);
}

const NGINX = `user root;
error_log stderr;
pid /run/nginx.pid;
events {}
http {
  include mime.types;
  access_log /dev/stdout;
  server {
    listen 80;
    root /usr/share/nginx/html;
  }
}
`;

/** A tag such as 3.6.8-0 has the version before the count of its builds. */
async function fillEtcd(root: string, sources: Sources, tag: string): Promise<void> {
  await makeRoot(root);
  await addShell(root);
  await addProgram(root, "usr/local/bin/etcd", await sources.program(etcdProgram(tag.replace(/-\d+$/, ""))));
}

async function fillSampleApiserver(root: string, sources: Sources, tag: string): Promise<void> {
  await makeRoot(root);
  await addProgram(root, "sample-apiserver", await sources.program(sampleApiserverProgram(tag)));
}

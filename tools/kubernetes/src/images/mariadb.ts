/** Images of MariaDB from Debian packages: the server, its client and backup programs, and a shell for its scripts. */

import { addFile, addFolder, addPackages, addShell, makeRoot } from "./root-file-system.ts";
import type { Suite } from "./root-file-system.ts";
import type { Recipe } from "./test-images.ts";

const PACKAGES = [
  "mariadb-server-core",
  "mariadb-client-core",
  "mariadb-client",
  "mariadb-backup",
  "mariadb-common",
  "zlib1g",
];

/** One image for each series; a pod names the series as its version. */
export const mariadbRecipes: readonly Recipe[] = [
  {
    name: "mariadb-10.11",
    reference: "capstan.test/mariadb:10.11.19",
    config: { Cmd: ["mariadbd"], User: "999:999", ExposedPorts: { "3306/tcp": {} } },
    fill: (root) => fillMariaDb(root),
  },
  {
    name: "mariadb-11.8",
    reference: "capstan.test/mariadb:11.8.6",
    config: { Cmd: ["mariadbd"], User: "999:999", ExposedPorts: { "3306/tcp": {} } },
    fill: (root) => fillMariaDb(root, "trixie"),
  },
];

async function fillMariaDb(root: string, suite?: Suite): Promise<void> {
  await makeRoot(root);
  await addPackages(
    root,
    suite === undefined ? PACKAGES : [...PACKAGES, "gcc-14-base", "openssl-provider-legacy"],
    [],
    suite,
  );
  await addShell(root);
  await addFile(root, "etc/passwd", "root:x:0:0:root:/root:/bin/sh\nmysql:x:999:999:mysql:/var/lib/mysql:/bin/sh\n");
  await addFile(root, "etc/group", "root:x:0:\nmysql:x:999:\n");
  for (const folder of ["run/mysqld", "var/lib/mysql"]) await addFolder(root, folder, 0o1777);
}

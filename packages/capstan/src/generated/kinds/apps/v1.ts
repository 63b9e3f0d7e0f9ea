export * from "@capstan/kinds/apps/v1";

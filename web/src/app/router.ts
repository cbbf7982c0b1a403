// Addresses of pages. Every page has one that reloads and goes back.

export type Route =
  | { page: "chat"; conversation?: string; find?: Finding }
  | { page: "inbox" }
  | { page: "files"; path: string; file?: string }
  | { page: "conversations" }
  | AgentsRoute
  | { page: "missing" };

/** Words that are looked for in a conversation, and the entry to begin at. */
export interface Finding {
  readonly words: string;
  readonly at: number;
}

/** Profiles and commands; `open` is the one that is looked at, with its scope. */
export interface AgentsRoute {
  page: "agents";
  what: "agents" | "commands";
  open?: string;
}

const HOME = "~";

export function routeOf(location: { pathname: string; search: string }): Route {
  const [first, second, ...rest] = location.pathname.split("/").filter((part) => part !== "");
  if (first === undefined) return { page: "chat" };
  if (first === "c" && second !== undefined && rest.length === 0) {
    return second === "new" ? { page: "chat" } : { page: "chat", conversation: decodeURIComponent(second), ...findingIn(new URLSearchParams(location.search)) };
  }
  if (first === "agents" || first === "commands") return agentsRoute(first, second, rest);
  if (second !== undefined) return { page: "missing" };
  switch (first) {
    case "inbox":
      return { page: "inbox" };
    case "conversations":
      return { page: "conversations" };
    case "files":
      return filesRoute(new URLSearchParams(location.search));
    case "setup":
      return { page: "chat" };
    default:
      return { page: "missing" };
  }
}

export function addressOf(route: Route): string {
  switch (route.page) {
    case "chat":
      return route.conversation === undefined ? "/c/new" : `/c/${encodeURIComponent(route.conversation)}${findingAddress(route.find)}`;
    case "inbox":
      return "/inbox";
    case "conversations":
      return "/conversations";
    case "agents":
      return route.open === undefined ? "/agents" : `/${route.what}/${route.open}`;
    case "files":
      return filesAddress(route.path, route.file);
    case "missing":
      return "/";
  }
}

function findingIn(query: URLSearchParams): { find?: Finding } {
  const words = query.get("find") ?? "";
  return words === "" ? {} : { find: { words, at: Number(query.get("at") ?? 0) } };
}

function findingAddress(find: Finding | undefined): string {
  return find === undefined ? "" : `?${new URLSearchParams({ find: find.words, at: String(find.at) })}`;
}

function filesRoute(query: URLSearchParams): Route {
  const file = query.get("file");
  return { page: "files", path: query.get("path") ?? HOME, ...(file === null ? {} : { file }) };
}

function filesAddress(path: string, file: string | undefined): string {
  const query = new URLSearchParams();
  if (path !== HOME) query.set("path", path);
  if (file !== undefined) query.set("file", file);
  return query.size === 0 ? "/files" : `/files?${query}`;
}

function agentsRoute(what: AgentsRoute["what"], scope: string | undefined, rest: readonly string[]): Route {
  if (scope === undefined) return { page: "agents", what };
  const fits = rest.length === 1 && /^[a-z0-9-]+$/.test(`${scope}${rest[0]}`);
  return fits ? { page: "agents", what, open: `${scope}/${rest[0]}` } : { page: "missing" };
}

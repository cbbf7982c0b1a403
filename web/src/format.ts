// Times, sizes and amounts as people read them, in the chosen language and the browser's zone.

import { language, t } from "./text.ts";

export function clock(at: string): string {
  return new Intl.DateTimeFormat(language(), { hour: "2-digit", minute: "2-digit" }).format(new Date(at));
}

export function dayAndClock(at: string): string {
  return new Intl.DateTimeFormat(language(), { dateStyle: "medium", timeStyle: "short" }).format(new Date(at));
}

/** How long ago, in the largest fitting unit. */
export function age(at: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - new Date(at).getTime()) / 1000));
  const format = new Intl.RelativeTimeFormat(language(), { numeric: "auto" });
  if (seconds < 60) return t("time.now");
  if (seconds < 3600) return format.format(-Math.floor(seconds / 60), "minute");
  if (seconds < 86_400) return format.format(-Math.floor(seconds / 3600), "hour");
  return format.format(-Math.floor(seconds / 86_400), "day");
}

export function duration(ms: number): string {
  if (ms < 1000) return t("time.ms", { n: Math.round(ms) });
  if (ms < 60_000) return t("time.seconds", { text: (ms / 1000).toLocaleString(language(), { maximumFractionDigits: 1 }) });
  return t("time.minutes", { m: Math.floor(ms / 60_000), s: Math.round((ms % 60_000) / 1000) });
}

export function between(from: string | undefined, to: string | undefined): string {
  return from && to ? duration(Math.max(0, new Date(to).getTime() - new Date(from).getTime())) : "";
}

export function bytes(size: number): string {
  if (size < 1024) return t("size.bytes", { n: size });
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let value = size / 1024;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value.toLocaleString(language(), { maximumFractionDigits: value < 10 ? 1 : 0 })} ${units[unit]}`;
}

/** Which group of the list a conversation stands in. */
export function dayGroup(at: string, now: number): "today" | "yesterday" | "week" | "earlier" {
  const start = new Date(now);
  start.setHours(0, 0, 0, 0);
  const time = new Date(at).getTime();
  const day = 86_400_000;
  if (time >= start.getTime()) return "today";
  if (time >= start.getTime() - day) return "yesterday";
  return time >= start.getTime() - 6 * day ? "week" : "earlier";
}

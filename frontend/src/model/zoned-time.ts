/** A time by the clock of a time zone, which is named: `Mon, 30 Mar 2026, 06:00 Europe/Berlin`. */
export function zonedTime(at: string, zone: string): string {
  const clock = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
  });
  return `${clock.format(new Date(at))} ${zone}`;
}

/** Notifications of the browser: chosen by a person, in one browser, until they sign out. */
import { userName } from "./user";
import { ownKey } from "../model/own-storage";

const CHANGED = "lakeui:notices";
const key = () => ownKey(userName(), "task-notices");

/** Chosen here, and not taken back in the browser since. */
export function isNoticed(): boolean {
  return localStorage.getItem(key()) === "1" && noticePermission() === "granted";
}

/** What the browser lets pages show; "unsupported" where it has no notifications, as without HTTPS. */
export function noticePermission(): NotificationPermission | "unsupported" {
  return "Notification" in window ? Notification.permission : "unsupported";
}

/** Off by default. The browser asks the person before the first one. */
export async function noticeChoose(isOn: boolean): Promise<void> {
  if (isOn && noticePermission() === "default") await Notification.requestPermission();
  if (isOn && noticePermission() === "granted") localStorage.setItem(key(), "1");
  else localStorage.removeItem(key());
  window.dispatchEvent(new Event(CHANGED));
}

/** Follows the choice in this tab and the others. */
export function followNotices(onChange: () => void): () => void {
  window.addEventListener(CHANGED, onChange);
  window.addEventListener("storage", onChange);
  return () => {
    window.removeEventListener(CHANGED, onChange);
    window.removeEventListener("storage", onChange);
  };
}

/** Grey lines in the place of text that is on its way; shows nothing for the first 150 ms. */
export function Skeleton({ lines = 3, label }: { lines?: number; label: string }) {
  return (
    <div role="status" aria-label={label} className="flex animate-late flex-col gap-3 py-3">
      {Array.from({ length: lines }, (_, index) => (
        <div
          key={index}
          className="h-4 animate-shimmer rounded-control bg-hover"
          style={{ width: `${[92, 100, 76, 88, 60][index % 5] ?? 80}%` }}
        />
      ))}
    </div>
  );
}

# How long connect() takes, and how many connections a second one client makes, one after the other.
#
#   perl connect.pl ADDRESS PORT COUNT
#     prints the median and the 90th percentile in microseconds, connections per second, and how many
#     were refused, or not answered in two seconds; makes fewer if all of it takes too long

use strict;
use warnings;
use Socket qw(:DEFAULT inet_pton SO_LINGER SO_SNDTIMEO);
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);

my ($address, $port, $count) = @ARGV;
my $to = pack_sockaddr_in($port, inet_pton(AF_INET, $address));
my @times;
my $refused = 0;
my $seconds = 20;
my $start = clock_gettime(CLOCK_MONOTONIC);
for (1 .. $count) {
  socket(my $socket, AF_INET, SOCK_STREAM, 0) or die "Cannot open a socket: $!\n";
  # Ends without lingering: so many would use up all ports.
  setsockopt($socket, SOL_SOCKET, SO_LINGER, pack("ii", 1, 0)) or die "Cannot set an option: $!\n";
  setsockopt($socket, SOL_SOCKET, SO_SNDTIMEO, pack("l!l!", 2, 0)) or die "Cannot set an option: $!\n";
  my $before = clock_gettime(CLOCK_MONOTONIC);
  last if $before - $start > $seconds;
  if (!connect($socket, $to)) {
    die "Cannot connect to $address: $!\n" if ++$refused > $count / 10;
    next;
  }
  push @times, clock_gettime(CLOCK_MONOTONIC) - $before;
}
die "Cannot connect to $address: nobody has answered\n" unless @times;
my $rate = @times / (clock_gettime(CLOCK_MONOTONIC) - $start);
@times = sort { $a <=> $b } @times;
printf "%.1f %.1f %.0f %d\n", 1e6 * $times[@times / 2], 1e6 * $times[@times * 0.9], $rate, $refused;
